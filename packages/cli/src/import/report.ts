import type { RowProblem } from './convert-row.js';
import type { SendOutcome } from './send-outcome.js';
import { TextCounter } from './text-counter.js';

/** Counts what becomes of the rows. */
export class ImportTally {
  rows = 0;
  created = 0;
  matched = 0;
  updated = 0;
  rejected = 0;
  skipped = 0;
  warnings = 0;
  readonly warningTexts = new TextCounter();
  readonly reasons = new TextCounter();
  readonly #startedMs = performance.now();

  /** Counts a row that the gateway answered. */
  countSent(outcome: SendOutcome): void {
    if (outcome.kind === 'rejected') {
      this.countRejected(outcome.problems);
      return;
    }
    this[outcome.kind] += 1;
    this.warnings += outcome.warnings.length;
    for (const { field, message } of outcome.warnings) this.warningTexts.add(`${field}: ${message}`);
  }

  /** Counts a row that was refused, here or by the gateway. */
  countRejected(problems: readonly RowProblem[]): void {
    this.rejected += 1;
    for (const { field, reason } of problems) this.reasons.add(field === '' ? reason : `${field}: ${reason}`);
  }

  /** Seconds since the import began. */
  get seconds(): number {
    return (performance.now() - this.#startedMs) / 1000;
  }

  /** Rows a second so far. */
  get rowsPerSecond(): number {
    return this.seconds === 0 ? 0 : this.rows / this.seconds;
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
  /** Whether a source that was changed can be sent again: its records are found by their natural keys. */
  readonly isSourceCorrectable: boolean;
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

const commonTexts = (counter: TextCounter): string[] =>
  counter.mostFrequent(5).map(([text, times]) => `    ${count(times)} × ${text}`);

/** The result as text for people. */
export const reportText = ({ tally, rejectsFile, stopped, isDryRun, isSourceCorrectable }: ImportResult): string => {
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
  lines.push(...commonTexts(tally.reasons));
  if (!isDryRun) lines.push(`  warnings ${count(tally.warnings)}`, ...commonTexts(tally.warningTexts));
  if (stopped !== undefined) {
    lines.push(
      '',
      stopped,
      'Run the same command again to go on: rows that are there already are matched, not duplicated.',
    );
  } else if (rejectsFile !== undefined) {
    const other = isSourceCorrectable ? ', or correct the source and run this again' : '';
    lines.push('', `Correct ${rejectsFile} and import it with the same mapping${other}.`);
  }
  return lines.join('\n');
};
