import { CliError, errorText } from '../errors.js';
import { checkColumns } from './check-columns.js';
import { convertRow, type ConversionContext } from './convert-row.js';
import { openCsv, type CsvFile, type CsvRow } from './csv-rows.js';
import type { InboundClient } from './inbound-client.js';
import type { Progress } from './progress.js';
import { RejectsFile } from './rejects-file.js';
import { ImportTally, type ImportResult } from './report.js';

/** One import. */
export interface ImportJob {
  readonly file: string;
  readonly rejectsPath: string;
  readonly conversion: ConversionContext;
  /** Makes the client, which says through `onWait` why nothing moves. Absent on a dry run: rows are only converted. */
  readonly makeClient: ((onWait: (message: string) => void) => InboundClient) | undefined;
  readonly concurrency: number;
  readonly limitRows: number | undefined;
  readonly makeProgress: (sizeBytes: number) => Progress;
  /** Aborted when the user stops the import; requests under way still end. */
  readonly signal: AbortSignal;
}

/**
 * Runs an import: rows are read as fast as they are sent, so that memory does not grow with the file.
 *
 * @throws CliError when nothing was sent yet, or when no further row can succeed.
 */
export const runImport = async (job: ImportJob): Promise<ImportResult> => {
  const csv = await openCsv(job.file, job.conversion.mapping);
  checkColumns(job.conversion.mapping, csv.columns);
  const rejects = await RejectsFile.prepare(job.rejectsPath, csv.columns);
  const run = new ImportRun(job, csv, rejects, job.makeProgress(csv.sizeBytes));
  try {
    await run.work();
  } finally {
    await csv.rows.return?.();
    await rejects.close();
    run.progress.stop();
  }
  const { tally, stopped } = run;
  const rejectsFile = tally.rejected > 0 ? rejects.path : undefined;
  return { tally, rejectsFile, stopped, isDryRun: job.makeClient === undefined };
};

class ImportRun {
  readonly tally = new ImportTally();
  readonly #stop = new AbortController();
  #rowsTaken = 0;
  stopped: string | undefined;
  #failure: Error | undefined;
  readonly #client: InboundClient | undefined;

  constructor(
    private readonly job: ImportJob,
    private readonly csv: CsvFile,
    private readonly rejects: RejectsFile,
    readonly progress: Progress,
  ) {
    this.#client = job.makeClient?.(progress.note);
  }

  async work(): Promise<void> {
    const interrupt = (): void => this.#end('The import was interrupted.');
    this.job.signal.addEventListener('abort', interrupt);
    if (this.job.signal.aborted) interrupt();
    await Promise.all(Array.from({ length: this.job.concurrency }, () => this.#worker()));
    this.job.signal.removeEventListener('abort', interrupt);
    if (this.#failure !== undefined) throw this.#failure;
  }

  async #worker(): Promise<void> {
    try {
      for (let row = await this.#nextRow(); row !== undefined; row = await this.#nextRow()) {
        await this.#importRow(row);
        this.progress.update(row.bytes, this.tally);
      }
    } catch (error) {
      if (this.#isStopped()) return;
      // Once rows are in, their counts are worth more than the bare error, so that it becomes part of the report.
      if (error instanceof CliError && this.tally.rows > 0) this.#end(error.message);
      else this.#fail(error);
    }
  }

  async #nextRow(): Promise<CsvRow | undefined> {
    if (this.#isStopped() || this.#rowsTaken === this.job.limitRows) return undefined;
    this.#rowsTaken += 1;
    const next = await this.csv.rows.next();
    return next.done === true || this.#isStopped() ? undefined : next.value;
  }

  async #importRow({ line, cells, row, problem }: CsvRow): Promise<void> {
    const converted =
      problem === undefined
        ? convertRow(this.job.conversion, row)
        : ({ kind: 'rejected', problems: [{ field: '', reason: problem }] } as const);
    if (converted.kind === 'skipped') this.tally.skipped += 1;
    else if (converted.kind === 'rejected') {
      this.tally.countRejected(converted.problems);
      await this.rejects.add(line, converted.problems, cells);
    } else if (this.#client !== undefined) {
      const outcome = await this.#client.send(converted.body, line, this.#stop.signal);
      this.tally.countSent(outcome);
      if (outcome.kind === 'rejected') await this.rejects.add(line, outcome.problems, cells);
    }
    this.tally.rows += 1;
  }

  #end(reason: string): void {
    this.stopped ??= reason;
    this.#stop.abort();
  }

  #fail(error: unknown): void {
    const text = `${errorText(error)} Nothing was imported.`;
    this.#failure =
      error instanceof CliError ? new CliError(text, error.exitCode) : new Error(errorText(error), { cause: error });
    this.#stop.abort();
  }

  #isStopped(): boolean {
    return this.#stop.signal.aborted;
  }
}
