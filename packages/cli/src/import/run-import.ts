import { CliError, errorText } from '../errors.js';
import type { ImportProgress } from '../progress.js';
import type { ConvertedRow, RequestBody } from './mapping/convert-row.js';
import type { SourceFile, SourceRow } from './source/csv-rows.js';
import { KeyOrder, type Turn } from './sending/key-order.js';
import { orderKeys } from './sending/order-key.js';
import type { RecordSender, SendItem } from './sending/record-sender.js';
import { RejectsFile } from './reporting/rejects-file.js';
import type { SentNotes } from './sending/sent-notes.js';
import { closingText, ImportTally, type ImportResult } from './reporting/report.js';
import type { SendOutcome } from './sending/send-outcome.js';
import type { ImportObject } from './targets.js';

/** One import. */
export interface ImportJob {
  readonly object: ImportObject;
  readonly source: SourceFile;
  readonly rejectsPath: string;
  /** Converts a row into the body of its create request. */
  readonly convert: (row: SourceRow) => ConvertedRow;
  /**
   * Creates the sender, which reports the reason for a wait through `onWait`. Absent on a dry run, which only converts
   * rows.
   */
  readonly makeSender: ((onWait: (message: string) => void) => RecordSender) | undefined;
  /** Rows per request. */
  readonly batchSize: number;
  readonly concurrency: number;
  readonly limitRows: number | undefined;
  /** The rows that are already imported. Only for notes, because the other objects have a natural key. */
  readonly sentNotes: SentNotes | undefined;
  readonly progress: ImportProgress;
  /** Shows the reason for a wait. */
  readonly note: (text: string) => void;
  /** Aborted when the user stops the import. Running requests still finish. */
  readonly signal: AbortSignal;
}

/** Below the gateway's 4 MB, to leave room for brackets and commas. */
const mostBatchBytes = 3_500_000;

interface BatchItem extends SendItem {
  readonly row: SourceRow;
}

interface Batch {
  readonly items: readonly BatchItem[];
  readonly turn: Turn;
}

/**
 * Runs an import. Rows are read only as fast as they are sent, so that memory use does not grow with the file.
 *
 * @throws CliError if it fails before the first row is done. Later failures are part of the result.
 */
export const runImport = async (job: ImportJob): Promise<ImportResult> => {
  const { source } = job;
  const rejects = await RejectsFile.prepare(job.rejectsPath, source);
  const run = new ImportRun(job, rejects);
  try {
    await run.work();
  } finally {
    await source.rows.return?.();
    await rejects.close();
    await job.sentNotes?.close();
  }
  const { tally } = run;
  const rejectsFile = tally.rejected > 0 ? rejects.path : undefined;
  const result = { ...run.end, tally, rejectsFile, isSourceCorrectable: job.object !== 'note' };
  if (run.failure !== undefined && tally.rows === 0) {
    const exitCode = run.failure instanceof CliError ? run.failure.exitCode : undefined;
    throw new CliError(`${errorText(run.failure)} ${closingText(result)}`, exitCode, { cause: run.failure });
  }
  return result;
};

class ImportRun {
  readonly tally = new ImportTally();
  readonly #stop = new AbortController();
  readonly #order = new KeyOrder();
  readonly #sender: RecordSender | undefined;
  #rowsTaken = 0;
  #stopped: string | undefined;
  /** The error that ended the import, if any. */
  failure: unknown;

  constructor(
    private readonly job: ImportJob,
    private readonly rejects: RejectsFile,
  ) {
    this.#sender = job.makeSender?.(job.note);
  }

  async work(): Promise<void> {
    const interrupt = (): void => this.#stopFor('The import was interrupted.');
    this.job.signal.addEventListener('abort', interrupt);
    if (this.job.signal.aborted) interrupt();
    // An async generator serves its readers one after the other, so the workers get the batches in file order.
    const batches = this.#readBatches();
    await Promise.all(Array.from({ length: this.job.concurrency }, () => this.#worker(batches)));
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
    let keys: string[] = [];
    let bytes = 0;
    const take = (): Batch => {
      const batch = { items, turn: this.#order.enter(keys) };
      [items, keys, bytes] = [[], [], 0];
      return batch;
    };
    for (let row = await this.#nextRow(); row !== undefined; row = await this.#nextRow()) {
      const converted = await this.#convert(row);
      if (converted === undefined) continue;
      const size = Buffer.byteLength(JSON.stringify(converted));
      if (items.length > 0 && bytes + size > mostBatchBytes) yield take();
      items.push({ row, body: converted, idempotencyKey: this.job.sentNotes?.keyOf(row.line) ?? null });
      bytes += size;
      keys.push(...orderKeys(this.job.object, converted));
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

  /** The body to send. For a row that is not sent, counts it and returns undefined. */
  async #convert(row: SourceRow): Promise<RequestBody | undefined> {
    if (this.job.sentNotes?.has(row.line) === true) {
      this.#count(row, { kind: 'matched', warnings: [] });
      return undefined;
    }
    const converted: ConvertedRow =
      row.problems.length === 0 ? this.job.convert(row) : { kind: 'rejected', problems: row.problems };
    if (converted.kind === 'request' && this.#sender !== undefined) return converted.body;
    if (converted.kind === 'skipped') this.tally.skipped += 1;
    if (converted.kind === 'rejected') this.tally.countRejected(converted.problems, row.line);
    this.tally.rows += 1;
    this.job.progress(row.bytes, this.tally);
    if (converted.kind === 'rejected') await this.rejects.add(row.line, converted.problems, row.cells);
    return undefined;
  }

  async #sendBatch({ items, turn }: Batch): Promise<void> {
    try {
      await turn.ready;
      // Another batch may have ended the import while this one waited for its turn.
      if (this.#sender === undefined || this.#isStopped()) return;
      const outcomes = await this.#sender.send(items, this.#stop.signal);
      const answered = outcomes.map((outcome, index) => ({ outcome, row: items[index]?.row }));
      // Counts all rows before it writes any file, so that a full disk cannot hide imported rows.
      for (const { row, outcome } of answered) if (row !== undefined) this.#count(row, outcome);
      for (const { row, outcome } of answered) if (row !== undefined) await this.#record(row, outcome);
    } finally {
      turn.done();
    }
  }

  #count(row: SourceRow, outcome: SendOutcome): void {
    this.tally.countSent(outcome, row.line);
    this.tally.rows += 1;
    this.job.progress(row.bytes, this.tally);
  }

  async #record(row: SourceRow, outcome: SendOutcome): Promise<void> {
    if (outcome.kind === 'rejected') await this.rejects.add(row.line, outcome.problems, row.cells);
    else if (this.job.sentNotes?.has(row.line) === false) await this.job.sentNotes.add(row.line);
  }

  #stopFor(reason: string): void {
    this.#stopped ??= reason;
    this.#stop.abort();
  }

  #isStopped(): boolean {
    return this.#stop.signal.aborted;
  }
}
