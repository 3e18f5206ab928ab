import { SingleBar } from 'cli-progress';

import { timeLeft } from '../../time-left.js';
import type { ImportTally } from './report.js';

/** Shows the progress of an import. */
export interface Progress {
  /** Reports that `bytes` of the file are done. */
  readonly update: (bytes: number, tally: ImportTally) => void;
  /** Shows a message at once, for example the reason for a wait. */
  readonly note: (text: string) => void;
  readonly stop: () => void;
}

/** The time between two progress lines. */
const lineIntervalMs = 5000;

/** Shows a bar on a terminal, and prints a line every few seconds to a file or another program. */
export const makeProgress = (stream: NodeJS.WritableStream & { isTTY?: boolean }, sizeBytes: number): Progress =>
  stream.isTTY === true ? barProgress(stream, sizeBytes) : lineProgress(stream, sizeBytes);

const barProgress = (stream: NodeJS.WritableStream, sizeBytes: number): Progress => {
  const bar = new SingleBar({
    stream,
    format: ' [{bar}] {percentage} % | {rows} rows, {rejected} rejected | {rate} rows/s | {left}{note}',
    barsize: 24,
    hideCursor: true,
  });
  bar.start(Math.max(sizeBytes, 1), 0, { rows: 0, rejected: 0, rate: 0, left: '', note: '' });
  return {
    update: (bytes, tally) =>
      bar.update(bytes, {
        rows: tally.rows,
        rejected: tally.rejected,
        rate: Math.round(tally.rowsPerSecond),
        left: timeLeft(bytes / Math.max(sizeBytes, 1), tally.seconds),
        note: '',
      }),
    note: (text) => bar.update({ left: '', note: text }),
    stop: () => bar.stop(),
  };
};

const withTimeLeft = (parts: readonly string[], left: string): string =>
  (left === '' ? parts : [...parts, left]).join(', ');

const lineProgress = (stream: NodeJS.WritableStream, sizeBytes: number): Progress => {
  let lastMs = performance.now();
  return {
    update: (bytes, tally) => {
      if (performance.now() - lastMs < lineIntervalMs) return;
      lastMs = performance.now();
      const fraction = bytes / Math.max(sizeBytes, 1);
      const percent = Math.min(100, Math.floor(fraction * 100));
      const rate = Math.round(tally.rowsPerSecond);
      const parts = [`${tally.rows} rows`, `${tally.rejected} rejected`, `${rate} rows/s`];
      stream.write(`${percent} %: ${withTimeLeft(parts, timeLeft(fraction, tally.seconds))}\n`);
    },
    note: (text) => stream.write(`${text}\n`),
    stop: () => undefined,
  };
};
