import { CliError } from '../errors.js';
import type { ExportState } from './export-state.js';
import type { Output } from './output.js';
import type { ReadPage, RecordPage } from './record-pages.js';
import type { RowFormat } from './row-format.js';

/** One export. */
export interface ExportJob {
  readonly readPage: ReadPage;
  readonly format: RowFormat;
  readonly output: Output;
  /** Where an earlier run ended. */
  readonly earlier: ExportState | undefined;
  readonly onProgress: (records: number, recordsPerSecond: number) => void;
  /** Aborted when the user stops the export. */
  readonly signal: AbortSignal;
}

/** How an export ended. */
export interface ExportResult {
  readonly records: number;
  readonly seconds: number;
}

/**
 * Runs an export. Reads the next page while it writes the current one. At most these two pages are in memory.
 *
 * @throws CliError if it was interrupted. The next run continues after the last written page.
 */
export const runExport = async (job: ExportJob): Promise<ExportResult> => {
  const startedMs = performance.now();
  const earlierRecords = job.earlier?.records ?? 0;
  let records = earlierRecords;
  let header = job.earlier === undefined ? job.format.header : '';
  const seconds = (): number => (performance.now() - startedMs) / 1000;
  // If the earlier run was killed after its last page, nothing is left to read.
  let next = job.earlier?.cursor === null ? null : readPage(job, job.earlier?.cursor ?? null);
  try {
    while (next !== null) {
      const page: RecordPage = await next;
      next = page.nextCursor === null ? null : readPage(job, page.nextCursor);
      records += page.records.length;
      const text = header + page.records.map((record) => job.format.line(record)).join('');
      const isWanted = await job.output.writePage(text, page.nextCursor, records);
      header = '';
      job.onProgress(records, (records - earlierRecords) / seconds());
      if (!isWanted) break;
    }
  } catch (error) {
    await job.output.close();
    throw error;
  }
  await job.output.finish();
  return { records, seconds: seconds() };
};

const readPage = (job: ExportJob, cursor: string | null): Promise<RecordPage> => {
  const page = job.readPage(cursor, job.signal).catch((error: unknown) => {
    if (job.signal.aborted) throw new CliError('The export was interrupted. Run the same command again to continue.');
    throw error;
  });
  // Avoids an unhandled rejection: the read may fail while the previous page is being written, or after the export has
  // ended.
  page.catch(() => undefined);
  return page;
};
