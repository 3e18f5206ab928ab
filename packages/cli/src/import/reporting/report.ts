import type { RowProblem } from '../mapping/convert-row.js';
import type { SendOutcome } from '../sending/send-outcome.js';
import { RejectReasons } from './reject-reasons.js';

/** Counts the outcomes of rows. */
export class ImportTally {
  rows = 0;
  created = 0;
  matched = 0;
  updated = 0;
  rejected = 0;
  skipped = 0;
  warnings = 0;
  readonly warningReasons = new RejectReasons();
  readonly reasons = new RejectReasons();
  readonly #startedMs = performance.now();

  /** Counts a row that was sent. */
  countSent(outcome: SendOutcome, line: number): void {
    if (outcome.kind === 'rejected') {
      this.countRejected(outcome.problems, line);
      return;
    }
    this[outcome.kind] += 1;
    this.warnings += outcome.warnings.length;
    for (const { field, message: reason } of outcome.warnings) this.warningReasons.add({ field, reason }, line);
  }

  /** Counts a row that was rejected by the conversion or by the gateway. */
  countRejected(problems: readonly RowProblem[], line: number): void {
    this.rejected += 1;
    for (const problem of problems) this.reasons.add(problem, line);
  }

  /** The rows that now have a record. */
  get imported(): number {
    return this.created + this.matched + this.updated;
  }

  /** Seconds since the import began. */
  get seconds(): number {
    return (performance.now() - this.#startedMs) / 1000;
  }

  /** The average rows per second so far. */
  get rowsPerSecond(): number {
    return this.seconds === 0 ? 0 : this.rows / this.seconds;
  }
}

/** How an import ended. */
export interface ImportResult {
  readonly tally: ImportTally;
  /** The file of the rejected rows, if there are any. */
  readonly rejectsFile: string | undefined;
  /** The reason why it stopped before the end of the file, if it did. */
  readonly stopped: string | undefined;
  /** The number of rows with an unknown result when it stopped. They may be imported or not. */
  readonly unanswered: number;
  readonly isDryRun: boolean;
  /** Whether a corrected source can be imported again, because its records are found by their natural keys. */
  readonly isSourceCorrectable: boolean;
}

/** The result as the object that `--json` prints. */
export const reportJson = (result: ImportResult): Record<string, unknown> => {
  const { tally, rejectsFile, stopped, isDryRun } = result;
  return {
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
    reject_reasons: tally.reasons
      .list()
      .map(({ field, reason, count: rows, firstLine }) => ({ field, reason, count: rows, first_line: firstLine })),
    seconds: Number(tally.seconds.toFixed(3)),
    ...(stopped === undefined ? {} : { stopped, unanswered: result.unanswered }),
  };
};

/** What was imported before the stop, and how to continue. */
export const closingText = ({
  tally,
  unanswered,
  isDryRun,
}: Pick<ImportResult, 'tally' | 'unanswered' | 'isDryRun'>): string => {
  if (isDryRun) return 'Nothing was sent (--dry-run).';
  if (tally.imported === 0 && unanswered === 0) return 'Nothing was imported.';
  const unknown = unanswered === 0 ? '' : `; the result of ${count(unanswered)} more is unknown`;
  return [
    `${rowsText(tally.imported)} ${tally.imported === 1 ? 'was' : 'were'} imported before that${unknown}.`,
    'Run the same command again to continue: existing records are matched, not duplicated.',
  ].join(' ');
};

const count = (value: number): string => value.toLocaleString('en-US');

const rowsText = (value: number): string => `${count(value)} ${value === 1 ? 'row' : 'rows'}`;

const reasonTexts = (reasons: RejectReasons, most: number): string[] =>
  reasons.list(most).map(({ field, reason, count: times, firstLine }) => {
    const where = firstLine === null ? '' : times === 1 ? ` (line ${firstLine})` : ` (first on line ${firstLine})`;
    return `    ${count(times)} × ${field === '' ? '' : `${field}: `}${reason}${where}`;
  });

const dryRunText = ({ rows, rejected, skipped }: ImportTally, stopped: string | undefined): string => {
  const end = stopped === undefined ? ' Nothing was sent (--dry-run).' : '';
  return `${rowsText(rows)} read, ${count(rows - rejected - skipped)} fit the mapping.${end}`;
};

const sentTexts = (tally: ImportTally): string[] => [
  `${rowsText(tally.rows)} in ${tally.seconds.toFixed(1)} s (${count(Math.round(tally.rowsPerSecond))} rows/s)`,
  `  created  ${count(tally.created)}`,
  `  matched  ${count(tally.matched)}`,
  `  updated  ${count(tally.updated)}`,
];

/** The result as text for people. */
export const reportText = (result: ImportResult): string => {
  const { tally, rejectsFile, stopped, isDryRun, isSourceCorrectable } = result;
  const lines = isDryRun ? [dryRunText(tally, stopped)] : sentTexts(tally);
  if (tally.skipped > 0) lines.push(`  skipped  ${count(tally.skipped)} (skip_when)`);
  lines.push(
    `  rejected ${count(tally.rejected)}${rejectsFile === undefined ? '' : `, with reasons in ${rejectsFile}`}`,
  );
  lines.push(...reasonTexts(tally.reasons, 20));
  if (!isDryRun) lines.push(`  warnings ${count(tally.warnings)}`, ...reasonTexts(tally.warningReasons, 5));
  if (stopped !== undefined) lines.push('', stopped, closingText(result));
  else if (rejectsFile !== undefined) {
    const other = isSourceCorrectable ? ', or correct the source and run this again' : '';
    lines.push('', `Correct ${rejectsFile} and import it with the same mapping${other}.`);
  }
  return lines.join('\n');
};
