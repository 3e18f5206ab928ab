import { CliError, errorText } from '../errors.js';
import type { ImportProgress } from '../progress.js';
import type { ImportPlan } from './import-plan.js';
import type { CopiedRow } from './copy/empty-values.js';
import type { RequestBody, RowProblem } from './mapping/convert-row.js';
import type { SourceRow } from './source/csv-rows.js';
import { RecordSender, type SenderOptions, type SendItem } from './sending/record-sender.js';
import { accountDomainOf, KeyOrder, orderKeys, type Turn } from './sending/row-order.js';
import { SameKeys } from './sending/same-keys.js';
import { RowsFile } from './reporting/rows-file.js';
import type { SentNotes } from './sending/sent-notes.js';
import { closingText, ImportTally, type ImportResult, type RowOutcome } from './reporting/report.js';

/** One import. */
export interface ImportJob extends ImportPlan {
  readonly rejectsPath: string;
  readonly warningsPath: string;
  /** Rejects rows with the natural key of an earlier row and another external id, or only counts them. */
  readonly sameKey: 'reject' | 'keep';
  /** Where and how to send. Absent on a dry run. */
  readonly sending: SenderOptions | undefined;
  /** Rows per request. */
  readonly batchSize: number;
  readonly concurrency: number;
  readonly limitRows: number | undefined;
  /** The rows that are already imported. Only for notes, because the other objects have a natural key. */
  readonly sentNotes: SentNotes | undefined;
  readonly progress: ImportProgress;
  /**
   * Only in a copy of a whole organization: the id of a row's record there. Rows with other ids are other records, even if
   * they have one natural key. Each row with an id is reported when it is done.
   */
  readonly copied?: {
    readonly idOf: (row: SourceRow) => string | undefined;
    readonly onDone: (id: string, outcome: RowOutcome) => void;
    /** Clears what creates have filled in. @returns what is not as in the file */
    readonly onSent: (rows: readonly CopiedRow[]) => Promise<ReadonlyMap<SourceRow, readonly RowProblem[]>>;
  };
  /** Aborted when the user stops the import. Running requests still finish. */
  readonly signal: AbortSignal;
}

/** The concurrent bulk creates. They are fewer than single creates, because each is more work for the database. */
export const bulkConcurrency = 4;
/** The concurrent single creates. */
export const singleConcurrency = 8;
/** The maximum number of items in one bulk create. */
export const mostItems = 100;

/** Below the gateway's 4 MB, to leave room for brackets and commas. */
const mostBatchBytes = 3_500_000;

/** The most keys whose rows are remembered: they take about 90 MB. */
const mostRemembered = 500_000;

interface BatchItem extends SendItem {
  readonly row: SourceRow;
  /** The account of a deal, if the row has its name and its domain. */
  readonly account: { readonly domain: string; readonly name: unknown } | undefined;
  /** The values of the row that are not sent. */
  readonly warnings: readonly RowProblem[];
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
  const result = run.result();
  if (run.failure !== undefined && result.tally.rows === 0) {
    const exitCode = run.failure instanceof CliError ? run.failure.exitCode : undefined;
    throw new CliError(`${errorText(run.failure)} ${closingText(result)}`, exitCode, { cause: run.failure });
  }
  return result;
};

const noteIdOf = ({ note }: RequestBody): unknown => (note as { readonly id?: unknown } | undefined)?.id;

class ImportRun {
  /** The first line of each record. */
  readonly #lines = new Map<string, number>();
  readonly #tally = new ImportTally();
  readonly #order = new KeyOrder();
  readonly #sameKeys = new SameKeys();
  readonly #sender: RecordSender | undefined;
  readonly #accounts: RecordSender | undefined;
  readonly #failed = new AbortController();
  /** Aborted when the user or an error stops the import. */
  readonly #stop: AbortSignal;
  /** The error that ended the import, if any. */
  failure: unknown;

  constructor(
    private readonly job: ImportJob,
    private readonly rejects: RowsFile,
    private readonly warnings: RowsFile,
  ) {
    const { object, sending, signal } = job;
    this.#sender = sending && new RecordSender(object, sending);
    this.#accounts = sending && new RecordSender('account', sending);
    this.#stop = AbortSignal.any([signal, this.#failed.signal]);
  }

  async work(): Promise<void> {
    // An async generator serves its readers one after the other, so the workers get the batches in file order.
    const batches = this.#readBatches();
    await Promise.all(Array.from({ length: this.job.concurrency }, () => this.#worker(batches)));
    if (!this.#stop.aborted) this.job.progress(Infinity, this.#tally);
  }

  /** The result. Call it only after {@link work} has resolved: requests that run at a stop still count. */
  result(): ImportResult {
    const { object, sending, signal } = this.job;
    const interrupted = signal.aborted ? 'The import was interrupted.' : undefined;
    return {
      object,
      tally: this.#tally,
      rejectsFile: this.rejects.written,
      warningsFile: this.warnings.written,
      stopped: this.failure === undefined ? interrupted : errorText(this.failure),
      unanswered: this.#sender?.unanswered ?? 0,
      isDryRun: sending === undefined,
      keepsMatches: sending?.updateMatches !== true,
    };
  }

  async #worker(batches: AsyncGenerator<Batch, void>): Promise<void> {
    try {
      // Not `for await`, which after an error would first wait for the next batch of another worker.
      for (let next = await batches.next(); next.done !== true; next = await batches.next())
        await this.#sendBatch(next.value);
    } catch (error) {
      // If the import has already stopped, this error is only a consequence.
      if (this.#stop.aborted) return;
      this.failure = error;
      this.#failed.abort();
    }
  }

  async *#readBatches(): AsyncGenerator<Batch, void> {
    const { source, limitRows, batchSize } = this.job;
    let items: BatchItem[] = [];
    let bytes = 0;
    let rows = 0;
    const take = (): Batch => {
      const batch = { items, turn: this.#order.enter(items.flatMap(({ keys }) => keys)) };
      [items, bytes] = [[], 0];
      return batch;
    };
    for await (const row of source.rows) {
      if (this.#stop.aborted) return;
      const item = await this.#convert(row);
      if (item !== undefined) {
        const size = Buffer.byteLength(JSON.stringify(item.body));
        if (items.length > 0 && bytes + size > mostBatchBytes) yield take();
        items.push(item);
        bytes += size;
        if (items.length >= batchSize) yield take();
      }
      rows += 1;
      if (rows === limitRows) break;
    }
    if (items.length > 0 && !this.#stop.aborted) yield take();
  }

  /** The item to send. For a row that is not sent, counts it and returns undefined. */
  async #convert(row: SourceRow): Promise<BatchItem | undefined> {
    const { convert, object, sentNotes, sending } = this.job;
    const finish = async (outcome: RowOutcome): Promise<undefined> => {
      await this.#finish([{ row, outcome }]);
      return undefined;
    };
    if (sentNotes?.has(row.line) === true) return finish({ kind: 'matched', problems: [] });
    const converted = await convert(row);
    if (typeof converted === 'string') return finish({ kind: converted, problems: [] });
    const { body, accountName: name, problems, warnings = [] } = converted;
    if (body === undefined || problems.length > 0) return finish({ kind: 'rejected', problems });
    const sameKey = this.#sameKeys.find(object, body, row.line, this.job.copied?.idOf(row));
    if (sameKey !== undefined)
      return finish({ kind: this.job.sameKey === 'keep' ? 'sameKey' : 'rejected', problems: [sameKey] });
    const keys = orderKeys(object, body);
    if (sending === undefined) return finish({ kind: 'fitting', problems: warnings, records: keys });
    const domain = name === undefined ? undefined : accountDomainOf(body);
    const account = domain === undefined ? undefined : { domain, name };
    const unused = { field: 'account_name', reason: 'is not used, because the deal has no account' };
    return {
      row,
      body,
      account,
      warnings: name !== undefined && account === undefined ? [...warnings, unused] : warnings,
      keys: domain === undefined ? keys : [...keys, domain],
      // A note with an id is not created twice, however old the first attempt is.
      idempotencyKey: noteIdOf(body) === undefined ? (sentNotes?.keyOf(row.line) ?? null) : null,
    };
  }

  async #sendBatch({ items, turn }: Batch): Promise<void> {
    try {
      await turn.ready;
      // Another batch may have ended the import while this one waited for its turn.
      if (this.#sender === undefined || this.#stop.aborted) return;
      const named = await this.#nameAccounts(items);
      const outcomes = await this.#sender.send(items, this.#stop);
      const copied = items.map(({ row }, index) => ({ row, outcome: outcomes[index] }));
      const kept = await this.job.copied?.onSent(copied);
      await this.#finish(
        items.flatMap((item, index) => {
          const outcome = outcomes[index];
          if (outcome === undefined) return [];
          const more =
            outcome.kind === 'rejected'
              ? []
              : [...item.warnings, ...(named.get(item) ?? []), ...(kept?.get(item.row) ?? [])];
          return [{ row: item.row, outcome: { ...outcome, problems: [...outcome.problems, ...more] } }];
        }),
      );
    } finally {
      turn.done();
    }
  }

  /** Creates the accounts of deals whose names the rows have. @returns the names that were not applied */
  async #nameAccounts(items: readonly BatchItem[]): Promise<ReadonlyMap<BatchItem, readonly RowProblem[]>> {
    const named = items.filter(({ account }) => account !== undefined);
    const accounts = named.map(({ account = {} }) => ({ body: account, idempotencyKey: null }));
    const outcomes = named.length === 0 ? [] : ((await this.#accounts?.send(accounts, this.#stop)) ?? []);
    const warningsOf = (index: number): readonly RowProblem[] =>
      (outcomes[index]?.problems ?? [])
        .filter(({ field }) => field === 'name')
        .map(({ reason }) => ({ field: 'account_name', reason }));
    return new Map(named.map((item, index) => [item, warningsOf(index)]));
  }

  /** Counts all rows before it writes any file, so that a full disk cannot hide imported rows. */
  async #finish(rows: readonly DoneRow[]): Promise<void> {
    const done = rows.map(({ row, outcome }) => ({ row, outcome: this.#withEarlierRow(outcome, row.line) }));
    for (const { row, outcome } of done) {
      this.#tally.count(outcome, row.line);
      const id = this.job.copied?.idOf(row);
      if (id !== undefined) this.job.copied?.onDone(id, outcome);
      this.job.progress(row.bytes, this.#tally);
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
}
