import type { SendOutcome, Warning } from './inbound-answer.js';

/** Distinct warnings kept for the report; more are only counted, so that memory stays constant. */
const warningKindsKept = 20;

/** Counts what becomes of the rows. */
export class ImportTally {
  rows = 0;
  created = 0;
  matched = 0;
  updated = 0;
  rejected = 0;
  skipped = 0;
  warnings = 0;
  readonly #startedMs = performance.now();
  readonly #warningCounts = new Map<string, number>();

  /** Counts a row that the gateway answered. */
  countSent(outcome: SendOutcome): void {
    this[outcome.kind] += 1;
    if (outcome.kind !== 'rejected') outcome.warnings.forEach((warning) => this.#countWarning(warning));
  }

  /** Seconds since the import began. */
  get seconds(): number {
    return (performance.now() - this.#startedMs) / 1000;
  }

  /** Rows a second so far. */
  get rowsPerSecond(): number {
    return this.seconds === 0 ? 0 : this.rows / this.seconds;
  }

  /** The kinds of warnings with how often each came, most frequent first. */
  get commonWarnings(): readonly (readonly [text: string, count: number])[] {
    return [...this.#warningCounts].sort(([, first], [, second]) => second - first);
  }

  #countWarning({ field, message }: Warning): void {
    this.warnings += 1;
    const text = `${field}: ${message}`;
    const count = this.#warningCounts.get(text);
    if (count !== undefined) this.#warningCounts.set(text, count + 1);
    else if (this.#warningCounts.size < warningKindsKept) this.#warningCounts.set(text, 1);
  }
}

/** How an import ended. */
export interface ImportResult {
  readonly tally: ImportTally;
  /** Where the refused rows are, when there are any. */
  readonly rejectsFile: string | undefined;
  /** Why it ended before the end of the file, when it did. */
  readonly stopped: string | undefined;
  readonly isDryRun: boolean;
}

/** The result as the object that `--json` prints. */
export const reportJson = ({ tally, rejectsFile, stopped, isDryRun }: ImportResult): Record<string, unknown> => ({
  complete: stopped === undefined,
  dry_run: isDryRun,
  rows: tally.rows,
  created: tally.created,
  matched: tally.matched,
  updated: tally.updated,
  rejected: tally.rejected,
  skipped: tally.skipped,
  warnings: tally.warnings,
  rejects_file: rejectsFile ?? null,
  seconds: Number(tally.seconds.toFixed(3)),
  ...(stopped === undefined ? {} : { stopped }),
});

const count = (value: number): string => value.toLocaleString('en-US');

/** The result as text for people. */
export const reportText = ({ tally, rejectsFile, stopped, isDryRun }: ImportResult): string => {
  const accepted = tally.rows - tally.rejected - tally.skipped;
  const lines = isDryRun
    ? [`${count(tally.rows)} rows read, ${count(accepted)} fit the mapping. Nothing was sent (--dry-run).`]
    : [
        `${count(tally.rows)} rows in ${tally.seconds.toFixed(1)} s (${count(Math.round(tally.rowsPerSecond))} rows/s)`,
        `  created  ${count(tally.created)}`,
        `  matched  ${count(tally.matched)}`,
        `  updated  ${count(tally.updated)}`,
      ];
  if (tally.skipped > 0) lines.push(`  skipped  ${count(tally.skipped)} (skip_when)`);
  lines.push(
    `  rejected ${count(tally.rejected)}${rejectsFile === undefined ? '' : `, with reasons in ${rejectsFile}`}`,
  );
  if (!isDryRun) lines.push(`  warnings ${count(tally.warnings)}`);
  for (const [text, times] of tally.commonWarnings.slice(0, 5)) lines.push(`    ${count(times)} × ${text}`);
  if (stopped !== undefined) {
    lines.push(
      '',
      stopped,
      'Then run the same command again: rows that are there already are matched, not duplicated.',
    );
  } else if (rejectsFile !== undefined) {
    lines.push(
      '',
      `Correct ${rejectsFile} and import it with the same mapping, or correct the source and run this again.`,
    );
  }
  return lines.join('\n');
};
