import { timeLeft } from '../time-left.js';

/** Lines are for logs: often enough to see that it lives, rarely enough to read. */
const lineIntervalMs = 5000;

/** What the progress of an export is shown for. */
export interface ExportProgressOptions {
  readonly stream: NodeJS.WritableStream;
  /** `accounts`. */
  readonly object: string;
  /** What an earlier run has exported. */
  readonly earlierRecords: number;
  /** Counts the records there are; asked once, after the first line, since a short export needs no estimate. */
  readonly countAll: () => Promise<number | undefined>;
}

/** Makes a function that takes the number of records in the file and writes a line now and then. */
export const exportProgress = ({
  stream,
  object,
  earlierRecords,
  countAll,
}: ExportProgressOptions): ((records: number, rate: number) => void) => {
  const startedMs = performance.now();
  let lastMs = startedMs;
  let total: number | undefined;
  let isAsked = false;
  return (records, rate) => {
    if (performance.now() - lastMs < lineIntervalMs) return;
    lastMs = performance.now();
    const done = (records - earlierRecords) / ((total ?? Number.NaN) - earlierRecords);
    const left = timeLeft(done, (lastMs - startedMs) / 1000);
    const of = total === undefined ? '' : ` of ${Math.max(total, records)}`;
    stream.write(`${records}${of} ${object}, ${Math.round(rate)} a second${left === '' ? '' : `, ${left}`}\n`);
    if (isAsked) return;
    isAsked = true;
    // Without a count there is no estimate, but the export continues.
    countAll().then(
      (count) => (total = count),
      () => undefined,
    );
  };
};
