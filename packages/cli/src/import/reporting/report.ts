import type { SendOutcome } from '../sending/send-outcome.js';
import type { ImportObject } from '../targets.js';
import type { RowProblem } from '../mapping/convert-row.js';

/** The outcome of a row: at the gateway, or without it. Rows of a dry run are `fitting`. */
export type RowOutcome = Omit<SendOutcome, 'kind'> & {
  readonly kind: SendOutcome['kind'] | 'skipped' | 'fitting' | 'sameKey';
};

/** The number of rows that were rejected for one reason. */
interface ReasonCount {
  readonly field: string;
  /** Values that differ between rows are left out: `"…" is not a number such as 1234.50`. */
  readonly reason: string;
  readonly count: number;
  /** The first line of the file with this reason. Null for the reasons beyond the limit, which are counted together. */
  readonly firstLine: number | null;
}

/** The most different stages that a reason names. */
const mostLabels = 20;

interface Counted {
  readonly field: string;
  reason: string;
  count: number;
  firstLine: number;
  /** The missing stages, which the user has to create or to map. */
  readonly labels: Set<string>;
}

/** Counts every problem of rejected rows by reason. Its memory use does not grow with the file. */
export class RejectReasons {
  readonly #counts = new Map<string, Counted>();
  #others = 0;

  constructor(private readonly mostReasons = 100) {}

  /** Counts one problem of the row on `line`. */
  add({ field, reason }: RowProblem, line: number): void {
    const general = reason.replace(/"[^"]*"/g, '"…"').replace(/\bline \d+/g, 'an earlier line');
    const key = JSON.stringify([field, general]);
    const known = this.#counts.get(key);
    const label = field === 'stage' ? /"[^"]*"/.exec(reason)?.[0] : undefined;
    if (known !== undefined) {
      if (label !== undefined && known.labels.size < mostLabels) known.labels.add(label);
      known.count += 1;
      known.firstLine = Math.min(known.firstLine, line);
      if (known.reason !== reason) known.reason = general;
    } else if (this.#counts.size < this.mostReasons)
      this.#counts.set(key, {
        field,
        reason,
        count: 1,
        firstLine: line,
        labels: new Set(label === undefined ? [] : [label]),
      });
    else this.#others += 1;
  }

  /** The most frequent reasons first. Those beyond `most` are one entry at the end. */
  list(most = this.mostReasons): readonly ReasonCount[] {
    const sorted = [...this.#counts.values()].sort((a, b) => b.count - a.count || a.firstLine - b.firstLine);
    const others = sorted.slice(most).reduce((sum, { count }) => sum + count, this.#others);
    const listed = sorted.slice(0, most).map(({ labels, reason, ...one }) => {
      return { ...one, reason: labels.size > 1 ? reason.replace('"…"', [...labels].join(', ')) : reason };
    });
    return others === 0 ? listed : [...listed, { field: '', reason: 'other reasons', count: others, firstLine: null }];
  }
}

/** Counts the outcomes of rows. */
export class ImportTally {
  rows = 0;
  created = 0;
  matched = 0;
  updated = 0;
  rejected = 0;
  skipped = 0;
  fitting = 0;
  sameKey = 0;
  warnings = 0;
  readonly warningReasons = new RejectReasons();
  readonly reasons = new RejectReasons();
  readonly #startedMs = performance.now();

  /** Counts a row. Its problems are the reasons of its rejection, or warnings. */
  count({ kind, problems }: RowOutcome, line: number): void {
    this.rows += 1;
    this[kind] += 1;
    if (kind !== 'rejected') this.warnings += problems.length;
    const reasons = kind === 'rejected' ? this.reasons : this.warningReasons;
    for (const problem of problems) reasons.add(problem, line);
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
  /** The file of the rows with warnings, if there are any. */
  readonly warningsFile: string | undefined;
  /** The reason why it stopped before the end of the file, if it did. */
  readonly stopped: string | undefined;
  /** The number of rows with an unknown result when it stopped. They may be imported or not. */
  readonly unanswered: number;
  readonly isDryRun: boolean;
  readonly object: ImportObject;
  /** Whether records that exist kept their values. */
  readonly keepsMatches: boolean;
}

const reasonsJson = (reasons: RejectReasons): object[] =>
  reasons
    .list()
    .map(({ field, reason, count: rows, firstLine }) => ({ field, reason, count: rows, first_line: firstLine }));

/** The result as the object that `--json` prints. */
export const reportJson = (result: ImportResult): Record<string, unknown> => {
  const { tally, rejectsFile, warningsFile, stopped, isDryRun } = result;
  return {
    complete: stopped === undefined,
    dry_run: isDryRun,
    rows: tally.rows,
    created: tally.created,
    matched: tally.matched,
    updated: tally.updated,
    rejected: tally.rejected,
    skipped: tally.skipped,
    same_key: tally.sameKey,
    warnings: tally.warnings,
    rejects_file: rejectsFile ?? null,
    reject_reasons: reasonsJson(tally.reasons),
    warnings_file: warningsFile ?? null,
    warning_reasons: reasonsJson(tally.warningReasons),
    seconds: Number(tally.seconds.toFixed(3)),
    ...(stopped === undefined ? {} : { stopped, unanswered: result.unanswered }),
  };
};

/** What was imported before the stop, and how to continue. */
export const closingText = ({ tally, unanswered, isDryRun }: ImportResult): string => {
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

/** The number of rejected rows or warnings, their file and their reasons. */
const problemTexts = (title: string, total: number, file: string | undefined, reasons: RejectReasons, most: number) => [
  `  ${title} ${count(total)}${file === undefined ? '' : `, with reasons in ${file}`}`,
  ...reasons.list(most).map(({ field, reason, count: times, firstLine }) => {
    const where = firstLine === null ? '' : times === 1 ? ` (line ${firstLine})` : ` (first on line ${firstLine})`;
    return `    ${count(times)} × ${field === '' ? '' : `${field}: `}${reason}${where}`;
  }),
];

const dryRunText = ({ rows, fitting }: ImportTally, stopped: string | undefined): string => {
  const end = stopped === undefined ? ' Nothing was sent (--dry-run).' : '';
  return `${rowsText(rows)} read, ${count(fitting)} fit.${end}`;
};

/** What a record that exists and keeps its values can get. */
const additions: Partial<Record<ImportObject, string>> = { opportunity: 'contacts', contact: 'a missing name' };

const sentTexts = ({ tally, object, keepsMatches }: ImportResult): string[] => {
  const added = keepsMatches && tally.updated > 0 ? additions[object] : undefined;
  return [
    `${rowsText(tally.rows)} in ${tally.seconds.toFixed(1)} s (${count(Math.round(tally.rowsPerSecond))} rows/s)`,
    `  created  ${count(tally.created)}`,
    `  matched  ${count(tally.matched)}`,
    `  updated  ${count(tally.updated)}${added === undefined ? '' : ` (got ${added}; other values were kept)`}`,
  ];
};

/** The reasons of rejections and warnings. */
const problemLines = ({ tally, rejectsFile, warningsFile }: ImportResult): string[] => [
  ...problemTexts('rejected', tally.rejected, rejectsFile, tally.reasons, 20),
  ...problemTexts('warnings', tally.warnings, warningsFile, tally.warningReasons, 5),
];

/** The result as one line, and the reasons of its problems: `3 rows: created 1, matched 2` */
export const shortText = (result: ImportResult): string => {
  const { tally, isDryRun } = result;
  const { rows, fitting, created, matched, updated, rejected, warnings } = tally;
  const counts = isDryRun ? { fitting } : { created, matched, updated };
  const text = Object.entries(counts).map(([name, value]) => `${name} ${count(value)}`);
  const problems = rejected + warnings === 0 ? [] : problemLines(result);
  return [`${rowsText(rows)}: ${text.join(', ')}`, ...problems].join('\n');
};

/** The result as text for people. */
export const reportText = (result: ImportResult): string => {
  const { tally, rejectsFile, stopped, isDryRun, object } = result;
  const lines = isDryRun ? [dryRunText(tally, stopped)] : sentTexts(result);
  if (tally.skipped > 0) lines.push(`  skipped  ${count(tally.skipped)} (skip_when)`);
  if (tally.sameKey > 0) lines.push(`  same key ${count(tally.sameKey)} (--same-key keep: not imported)`);
  lines.push(...problemLines(result));
  if (stopped !== undefined) lines.push('', stopped, closingText(result));
  else if (rejectsFile !== undefined) {
    // Records are found by their natural keys, except notes.
    const other = object === 'note' ? '' : ', or correct the source and run this again';
    lines.push('', `Correct ${rejectsFile} and import it with the same mapping${other}.`);
  }
  return lines.join('\n');
};
