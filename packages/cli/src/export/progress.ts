import { timeLeft } from '../time-left.js';

/** The time between two progress lines. */
const lineIntervalMs = 5000;

/** The options of {@link exportProgress}. */
export interface ExportProgressOptions {
  readonly stream: NodeJS.WritableStream;
  /** `accounts`. */
  readonly object: string;
  /** The number of records that an earlier run exported. */
  readonly earlierRecords: number;
  /** Counts all records. Called once, after the first line, because a short export needs no estimate. */
  readonly countAll: () => Promise<number | undefined>;
}

/** Returns a function that takes the number of exported records and prints a line every few seconds. */
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
