import type { ImportTally } from './import/reporting/report.js';

const minuteS = 60;
const hourS = 60 * minuteS;

const rounded = (seconds: number): string => {
  if (seconds < 90) return `${Math.max(1, Math.round(seconds))} s`;
  if (seconds < 90 * minuteS) return `${Math.round(seconds / minuteS)} min`;
  return `${(seconds / hourS).toFixed(1)} h`;
};

/**
 * Estimates the remaining time from the pace so far: `about 3 min left`. Empty if no estimate is possible yet.
 *
 * @param fraction - the completed part of the work, from 0 to 1
 * @param seconds - the time spent so far
 */
export const timeLeft = (fraction: number, seconds: number): string => {
  if (!(fraction > 0) || fraction >= 1 || !(seconds >= 1)) return '';
  return `about ${rounded((seconds * (1 - fraction)) / fraction)} left`;
};

/**
 * Returns a function that writes a line every few seconds, and makes its text only then. It also writes the last line, if
 * it wrote one before. Empty parts are left out. On a terminal, each line replaces the one before.
 */
const progressLines = (stream: NodeJS.WritableStream, intervalMs = 5000) => {
  const startedMs = performance.now();
  let lastMs = startedMs;
  return (parts: () => readonly string[], isLast = false): void => {
    if (isLast ? lastMs === startedMs : performance.now() - lastMs < intervalMs) return;
    lastMs = performance.now();
    const line = parts()
      .filter((part) => part !== '')
      .join(', ');
    const isTerminal = 'isTTY' in stream && stream.isTTY === true;
    // ESC [ K removes the rest of a longer line.
    stream.write(isTerminal ? `\r${line}\u001b[K${isLast ? '\n' : ''}` : `${line}\n`);
  };
};

/** Shows the progress of an import. `bytes` of the file are done; Infinity at the end. */
export type ImportProgress = (bytes: number, tally: ImportTally) => void;

/** Prints the progress of an import of a file every few seconds. */
export const importProgress = (
  stream: NodeJS.WritableStream,
  sizeBytes: number,
  intervalMs?: number,
): ImportProgress => {
  const write = progressLines(stream, intervalMs);
  let mostBytes = 0;
  return (bytes, tally) => {
    // Rows are not done in the order of the file.
    mostBytes = Math.max(mostBytes, bytes);
    write(() => {
      const fraction = Math.min(1, mostBytes / Math.max(sizeBytes, 1));
      const percent = Math.floor(fraction * 100);
      const rate = Math.round(tally.rowsPerSecond);
      const left = timeLeft(fraction, tally.seconds);
      return [`${percent} %: ${tally.rows} rows`, `${tally.rejected} rejected`, `${rate} rows/s`, left];
    }, bytes === Infinity);
  };
};

/** Returns a function that takes the number of exported records and prints a line every few seconds. */
export const exportProgress = (
  stream: NodeJS.WritableStream,
  object: string,
): ((records: number, recordsPerSecond: number) => void) => {
  const write = progressLines(stream);
  return (records, rate) => write(() => [`${records} ${object}`, `${Math.round(rate)} a second`]);
};
