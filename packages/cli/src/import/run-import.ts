import { CliError, errorText } from '../errors.js';
import type { ImportProgress } from '../progress.js';
import type { ImportPlan } from './import-plan.js';
import type { RowProblem } from './mapping/convert-row.js';
import type { SourceRow } from './source/csv-rows.js';
import type { RecordSender, SendItem } from './sending/record-sender.js';
import { accountDomainOf, KeyOrder, orderKeys, type Turn } from './sending/row-order.js';
import { RowsFile } from './reporting/rows-file.js';
import type { SentNotes } from './sending/sent-notes.js';
import { closingText, ImportTally, type ImportResult, type RowOutcome } from './reporting/report.js';
import type { ImportObject } from './targets.js';

/** One import. */
export interface ImportJob extends ImportPlan {
  readonly rejectsPath: string;
  readonly warningsPath: string;
  /** Creates the sender of an object. Absent on a dry run. */
  readonly makeSender: ((object: ImportObject) => RecordSender) | undefined;
  /** Rows per request. */
  readonly batchSize: number;
  readonly concurrency: number;
  /** Whether records that exist keep their values. */
  readonly keepsMatches: boolean;
  readonly limitRows: number | undefined;
  /** The rows that are already imported. Only for notes, because the other objects have a natural key. */
  readonly sentNotes: SentNotes | undefined;
  readonly progress: ImportProgress;
  /** Aborted when the user stops the import. Running requests still finish. */
  readonly signal: AbortSignal;
}

/** Below the gateway's 4 MB, to leave room for brackets and commas. */
const mostBatchBytes = 3_500_000;

/** The most keys whose rows are remembered: they take about 90 MB. */
const mostRemembered = 500_000;

interface BatchItem extends SendItem {
  readonly row: SourceRow;
  /** The account of a deal, if the row has its name. */
  readonly account: { readonly domain?: string | undefined; readonly name?: unknown } | undefined;
  /** The keys of its record and of this account. */
  readonly keys: readonly string[];
}

interface Batch {
  readonly items: readonly BatchItem[];
  readonly turn: Turn;
}

/** A row that is done. */
interface DoneRow {
  readonly row: SourceRow;
  readonly outcome: RowOutcome;
}

/**
 * Runs an import. Rows are read only as fast as they are sent, so that memory use does not grow with the file.
 *
 * @throws CliError if it fails before the first row is done. Later failures are part of the result.
 */
export const runImport = async (job: ImportJob): Promise<ImportResult> => {
  const { source } = job;
  const rejects = await RowsFile.prepare(job.rejectsPath, source);
  const warnings = await RowsFile.prepare(job.warningsPath, source);
  const run = new ImportRun(job, rejects, warnings);
  try {
    await run.work();
  } finally {
    await source.rows.return(undefined);
    await rejects.close();
    await warnings.close();
    await job.sentNotes?.close();
  }
  const { tally } = run;
  const files = { rejectsFile: rejects.written, warningsFile: warnings.written };
  const result = { ...run.end, tally, ...files, object: job.object, keepsMatches: job.keepsMatches };
  if (run.failure !== undefined && tally.rows === 0) {
    const exitCode = run.failure instanceof CliError ? run.failure.exitCode : undefined;
    throw new CliError(`${errorText(run.failure)} ${closingText(result)}`, exitCode, { cause: run.failure });
  }
  return result;
};

class ImportRun {
  /** The first line of each record. */
  readonly #lines = new Map<string, number>();
  readonly tally = new ImportTally();
  readonly #stop = new AbortController();
  readonly #order = new KeyOrder();
  readonly #sender: RecordSender | undefined;
  readonly #accounts: RecordSender | undefined;
  #rowsTaken = 0;
  #stopped: string | undefined;
  /** The error that ended the import, if any. */
  failure: unknown;

  constructor(
    private readonly job: ImportJob,
    private readonly rejects: RowsFile,
    private readonly warnings: RowsFile,
  ) {
    this.#sender = job.makeSender?.(job.object);
    this.#accounts = job.makeSender?.('account');
  }

  async work(): Promise<void> {
    const interrupt = (): void => this.#stopFor('The import was interrupted.');
    this.job.signal.addEventListener('abort', interrupt);
    if (this.job.signal.aborted) interrupt();
    // An async generator serves its readers one after the other, so the workers get the batches in file order.
    const batches = this.#readBatches();
    await Promise.all(Array.from({ length: this.job.concurrency }, () => this.#worker(batches)));
    if (!this.#isStopped()) this.job.progress(Infinity, this.tally);
    this.job.signal.removeEventListener('abort', interrupt);
  }

  /** How the import ended. Read it only after {@link work} has resolved: requests that run at a stop still count. */
  get end(): Pick<ImportResult, 'stopped' | 'unanswered' | 'isDryRun'> {
    const unanswered = this.#sender?.unanswered ?? 0;
    return { stopped: this.#stopped, unanswered, isDryRun: this.#sender === undefined };
  }

  async #worker(batches: AsyncGenerator<Batch, void>): Promise<void> {
    try {
      for (let next = await batches.next(); next.done !== true; next = await batches.next()) {
        await this.#sendBatch(next.value);
      }
    } catch (error) {
      // If another worker stopped the import, this error is only a consequence.
      if (this.#isStopped()) return;
      this.failure = error;
      this.#stopFor(errorText(error));
    }
  }

  async *#readBatches(): AsyncGenerator<Batch, void> {
    let items: BatchItem[] = [];
    let bytes = 0;
    const take = (): Batch => {
      const batch = { items, turn: this.#order.enter(items.flatMap(({ keys }) => keys)) };
      [items, bytes] = [[], 0];
      return batch;
    };
    for (let row = await this.#nextRow(); row !== undefined; row = await this.#nextRow()) {
      const item = await this.#convert(row);
      if (item === undefined) continue;
      const size = Buffer.byteLength(JSON.stringify(item.body));
      if (items.length > 0 && bytes + size > mostBatchBytes) yield take();
      items.push(item);
      bytes += size;
      if (items.length >= this.job.batchSize) yield take();
    }
    if (items.length > 0 && !this.#isStopped()) yield take();
  }

  async #nextRow(): Promise<SourceRow | undefined> {
    if (this.#isStopped() || this.#rowsTaken === this.job.limitRows) return undefined;
    this.#rowsTaken += 1;
    const next = await this.job.source.rows.next();
    return next.done === true || this.#isStopped() ? undefined : next.value;
  }

  /** The item to send. For a row that is not sent, counts it and returns undefined. */
  async #convert(row: SourceRow): Promise<BatchItem | undefined> {
    const { convert, object, sentNotes } = this.job;
    let outcome: RowOutcome = { kind: 'matched', problems: [] };
    if (sentNotes?.has(row.line) !== true) {
      const converted = await convert(row);
      if (converted === 'skipped') outcome = { kind: 'skipped', problems: [] };
      else if (converted.body === undefined || converted.problems.length > 0)
        outcome = { kind: 'rejected', problems: converted.problems };
      else {
        const { account_name: name, ...body } = converted.body;
        const keys = orderKeys(object, body);
        if (this.#sender !== undefined) {
          const account = name === undefined ? undefined : { domain: accountDomainOf(body), name };
          const idempotencyKey = sentNotes?.keyOf(row.line) ?? null;
          return { row, body, account, keys: [...keys, account?.domain ?? []].flat(), idempotencyKey };
        }
        outcome = { kind: 'fitting', problems: [], records: keys };
      }
    }
    await this.#finish([{ row, outcome }]);
    return undefined;
  }

  async #sendBatch({ items, turn }: Batch): Promise<void> {
    try {
      await turn.ready;
      // Another batch may have ended the import while this one waited for its turn.
      if (this.#sender === undefined || this.#isStopped()) return;
      const warnings = await this.#nameAccounts(items);
      const outcomes = await this.#sender.send(items, this.#stop.signal);
      await this.#finish(
        items.flatMap(({ row }, index) => {
          const outcome = outcomes[index];
          if (outcome === undefined) return [];
          const more = outcome.kind === 'rejected' ? [] : (warnings[index] ?? []);
          return [{ row, outcome: { ...outcome, problems: [...outcome.problems, ...more] } }];
        }),
      );
    } finally {
      turn.done();
    }
  }

  /** Creates the accounts of deals whose names the rows have. @returns the warnings of each row */
  async #nameAccounts(items: readonly BatchItem[]): Promise<readonly (readonly RowProblem[])[]> {
    const named = items.filter(({ account }) => account?.domain !== undefined);
    const accounts = named.map(({ account = {} }) => ({ body: account, idempotencyKey: null }));
    const outcomes = accounts.length > 0 ? await this.#accounts?.send(accounts, this.#stop.signal) : undefined;
    const unused = [{ field: 'name', reason: 'is not used, because the deal has no account' }];
    return items.map((item) => {
      if (item.account === undefined) return [];
      const problems = named.includes(item) ? (outcomes?.[named.indexOf(item)]?.problems ?? []) : unused;
      return problems.flatMap(({ field, reason }) => (field === 'name' ? [{ field: 'account_name', reason }] : []));
    });
  }

  /** Counts all rows before it writes any file, so that a full disk cannot hide imported rows. */
  async #finish(rows: readonly DoneRow[]): Promise<void> {
    const done = rows.map(({ row, outcome }) => ({ row, outcome: this.#withEarlierRow(outcome, row.line) }));
    for (const { row, outcome } of done) {
      this.tally.count(outcome, row.line);
      this.job.progress(row.bytes, this.tally);
    }
    const { sentNotes } = this.job;
    for (const { row, outcome } of done) {
      const { kind, problems } = outcome;
      const file = kind === 'rejected' ? this.rejects : this.warnings;
      if (problems.length > 0) await file.add(row.line, problems, row.cells);
      if (['created', 'matched'].includes(kind) && sentNotes?.has(row.line) === false) await sentNotes.add(row.line);
    }
  }

  /** Adds a warning to a row whose record is that of an earlier row. */
  #withEarlierRow(outcome: RowOutcome, line: number): RowOutcome {
    const { records = [], problems } = outcome;
    const earlier = records.map((record) => this.#lines.get(record)).find((known) => known !== undefined);
    if (earlier !== undefined)
      return { ...outcome, problems: [{ field: '', reason: `is the same record as line ${earlier}` }, ...problems] };
    if (this.#lines.size < mostRemembered) for (const record of records) this.#lines.set(record, line);
    return outcome;
  }

  #stopFor(reason: string): void {
    this.#stopped ??= reason;
    this.#stop.abort();
  }

  #isStopped(): boolean {
    return this.#stop.signal.aborted;
  }
}
