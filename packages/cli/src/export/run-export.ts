import { CliError } from '../errors.js';
import type { ExportState } from './export-state.js';
import type { MemberTranslation } from './member-emails.js';
import type { Output } from './output.js';
import type { ReadPage } from './record-pages.js';
import type { RowFormat } from './row-format.js';

/** One export. */
export interface ExportJob {
  readonly readPage: ReadPage;
  readonly members: MemberTranslation;
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
 * Runs an export: one page is in memory at a time.
 *
 * @throws CliError when it was interrupted; what is written stays for the next run.
 */
export const runExport = async (job: ExportJob): Promise<ExportResult> => {
  const startedMs = performance.now();
  const earlierRecords = job.earlier?.records ?? 0;
  let records = earlierRecords;
  let cursor = job.earlier?.cursor ?? null;
  let header = job.earlier === undefined ? job.format.header : '';
  const seconds = (): number => (performance.now() - startedMs) / 1000;
  // A run that was killed between its last page and its end has nothing left to read.
  let isComplete = job.earlier?.cursor === null;
  try {
    while (!isComplete) {
      const page = await readPage(job, cursor);
      await job.members.prepare(page.records);
      records += page.records.length;
      const text = header + page.records.map((record) => job.format.line(record)).join('');
      const isWanted = await job.output.writePage(text, page.nextCursor, records);
      header = '';
      cursor = page.nextCursor;
      isComplete = cursor === null || !isWanted;
      job.onProgress(records, (records - earlierRecords) / seconds());
    }
  } catch (error) {
    await job.output.close();
    throw error;
  }
  await job.output.finish();
  return { records, seconds: seconds() };
};

const readPage = async (job: ExportJob, cursor: string | null): ReturnType<ReadPage> => {
  try {
    return await job.readPage(cursor, job.signal);
  } catch (error) {
    if (job.signal.aborted) throw new CliError('The export was interrupted. The same command goes on where it was.');
    throw error;
  }
};
