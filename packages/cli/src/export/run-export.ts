import type { ExportState } from './output.js';
import type { Output } from './output.js';

/** A page of an export as text. */
export interface TextPage {
  readonly text: string;
  /** Where the next run continues after this page. Null if it is the last one. */
  readonly cursor: string | null;
  readonly records: number;
}

/** One export. */
export interface ExportJob {
  /** The pages that an earlier run has not written. */
  readonly pages: AsyncIterator<TextPage, unknown, undefined>;
  readonly output: Output;
  /** Where an earlier run ended. */
  readonly earlier: ExportState | undefined;
  readonly onProgress?: (records: number, recordsPerSecond: number) => void;
}

/** How an export ended. */
export interface ExportResult {
  readonly records: number;
  readonly seconds: number;
  /** The cursor of the last written page, also of an earlier run. Null if no page was written, or if it was the last one. */
  readonly cursor: string | null;
}

/**
 * Runs an export. Reads the next page while it writes the current one. At most these two pages are in memory. If it
 * fails, the next run continues after the last written page.
 */
export const runExport = async ({ pages, output, earlier, onProgress }: ExportJob): Promise<ExportResult> => {
  const startedMs = performance.now();
  const seconds = (): number => (performance.now() - startedMs) / 1000;
  const earlierRecords = earlier?.records ?? 0;
  let records = earlierRecords;
  let cursor = earlier?.cursor ?? null;
  try {
    for (let page = await pages.next(); page.done !== true;) {
      const reading = pages.next();
      // The read may fail while the page is being written, or after the export has ended.
      reading.catch(() => undefined);
      records += page.value.records;
      ({ cursor } = page.value);
      const isWanted = await output.writePage(page.value.text, cursor, records);
      onProgress?.(records, (records - earlierRecords) / seconds());
      if (!isWanted) break;
      page = await reading;
    }
  } catch (error) {
    await output.close();
    throw error;
  }
  await output.finish();
  return { records, seconds: seconds(), cursor };
};
