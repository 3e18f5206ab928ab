import { createHash } from 'node:crypto';
import { open, readFile, rename, rm, stat, writeFile, type FileHandle } from 'node:fs/promises';

import type { CliContext } from '../cli-context.js';
import { CliError, configurationError, errorCode, errorText, ifThere } from '../errors.js';
import { parseJsonObject } from '../json-object.js';
import { privateMode } from '../private-mode.js';

/** A page of an export as text. */
export interface TextPage {
  readonly text: string;
  /** Where the next run continues after this page. Null if it is the last one. */
  readonly cursor: string | null;
  readonly records: number;
}

/** The progress of an export, as stored in the file beside the output. */
export interface ExportState {
  /** A digest of the export's options, so that a different command does not continue this export's file. */
  readonly request: string;
  /** The cursor of the next page. Null after the last page. */
  readonly cursor: string | null;
  /** The size of the complete pages in the partial file. */
  readonly bytes: number;
  readonly records: number;
}

/** One export. */
interface ExportJob {
  readonly context: CliContext;
  /** The output `-` is stdout, another one is a file, which may continue an earlier run. */
  readonly options: { readonly output: string; readonly restart?: boolean };
  /** What is exported, without the key, so that only the same command can continue a file. */
  readonly request: readonly unknown[];
  /** What the records are: `accounts`. */
  readonly noun: string;
  /** Reads the pages that an earlier run has not written. */
  readonly pages: (earlier: ExportState | undefined) => AsyncIterable<TextPage>;
  readonly onProgress?: (records: number, recordsPerSecond: number) => void;
}

/** How an export ended. */
interface ExportResult {
  readonly records: number;
  readonly seconds: number;
  /** The cursor of the last written page, also of an earlier run. Null if no page was written, or if it was the last one. */
  readonly cursor: string | null;
}

/** Runs an export. One page is in memory at a time. If it fails, the next run continues after the last written page. */
export const runExport = async ({
  context: { stdout, stderr },
  options: { output, restart },
  request,
  noun,
  pages,
  onProgress,
}: ExportJob): Promise<ExportResult> => {
  const startedMs = performance.now();
  const seconds = (): number => (performance.now() - startedMs) / 1000;
  const file = output === '-' ? undefined : await PartialFile.open(output, request, restart === true);
  const earlier = file?.earlier;
  if (earlier !== undefined) stderr.write(`Continuing after ${earlier.records} ${noun}.\n`);
  let records = earlier?.records ?? 0;
  let cursor = earlier?.cursor ?? null;
  try {
    for await (const page of pages(earlier)) {
      records += page.records;
      cursor = page.cursor;
      if (file !== undefined) await file.write(page.text, cursor, records);
      else if (!(await writeText(stdout, page.text))) break;
      onProgress?.(records, (records - (earlier?.records ?? 0)) / seconds());
    }
  } catch (error) {
    await file?.close();
    throw error;
  }
  await file?.finish();
  return { records, seconds: seconds(), cursor };
};

// Both are beside the output until the export is complete.
const partialPath = (output: string): string => `${output}.partial`;
const statePath = (output: string): string => `${output}.progress.json`;

/** A file that gets the name of the output when it is complete, and the file of its progress. */
class PartialFile {
  private constructor(
    private readonly output: string,
    private readonly handle: FileHandle,
    private readonly request: string,
    /** Where an earlier run ended. */
    readonly earlier: ExportState | undefined,
    private bytes = earlier?.bytes ?? 0,
  ) {}

  static async open(output: string, request: readonly unknown[], isNew: boolean): Promise<PartialFile> {
    const digest = createHash('sha256').update(JSON.stringify(request)).digest('hex');
    const earlier = isNew ? undefined : await readState(output, digest);
    try {
      // Else a kill before the first page would leave the state of another file.
      if (earlier === undefined) await rm(statePath(output), { force: true });
      const handle = await open(partialPath(output), 'a', privateMode);
      // Drops a page that was not completely written. It is read again.
      await handle.truncate(earlier?.bytes ?? 0);
      return new PartialFile(output, handle, digest, earlier);
    } catch (error) {
      throw configurationError(`${output} cannot be written: ${errorText(error)}`);
    }
  }

  /** Writes a page. Once it has resolved, an interrupted export can continue after this page. */
  async write(text: string, cursor: string | null, records: number): Promise<void> {
    const content = Buffer.from(text, 'utf8');
    await this.handle.appendFile(content);
    this.bytes += content.length;
    // The data must be on disk before the state counts it, because the power may fail.
    await this.handle.datasync();
    const state: ExportState = { request: this.request, cursor, bytes: this.bytes, records };
    // Renaming replaces the old progress at once.
    const temporary = `${statePath(this.output)}.tmp`;
    await writeFile(temporary, `${JSON.stringify(state)}\n`, { mode: privateMode });
    await rename(temporary, statePath(this.output));
  }

  async finish(): Promise<void> {
    await this.handle.close();
    await rename(partialPath(this.output), this.output);
    await rm(statePath(this.output), { force: true });
  }

  close(): Promise<void> {
    return this.handle.close();
  }
}

/**
 * Reads the progress of an earlier run.
 *
 * @returns `undefined` if there was none, or its file is gone.
 * @throws CliError if the earlier run cannot be continued.
 */
const readState = async (output: string, digest: string): Promise<ExportState | undefined> => {
  const path = statePath(output);
  const text = await ifThere(readFile(path, 'utf8'));
  if (text === undefined) return undefined;
  const { request, cursor, bytes, records } = parseJsonObject(text);
  const isCursor = cursor === null || typeof cursor === 'string';
  if (typeof request !== 'string' || !isCursor || typeof bytes !== 'number' || typeof records !== 'number')
    throw new CliError(`${path} is damaged. Give --restart to start over.`);
  if (request !== digest) {
    throw new CliError(
      `${path} belongs to another export. Finish that export first, or give --restart to start over with this one.`,
    );
  }
  const file = await ifThere(stat(partialPath(output)));
  if (file === undefined) return undefined;
  if (file.size < bytes) {
    throw new CliError(`${partialPath(output)} is shorter than its progress file says. Give --restart to start over.`);
  }
  return { request, cursor, bytes, records };
};

/** Writes to a stream at the speed of its reader. Resolves to false if the reader has closed it, for example `head`. */
export const writeText = (stream: NodeJS.WritableStream, text: string): Promise<boolean> =>
  new Promise((resolve, reject) => {
    stream.write(text, (error) => {
      if (error === null || error === undefined) resolve(true);
      else if (errorCode(error) === 'EPIPE') resolve(false);
      else reject(error);
    });
  });

/** What to do after an export has failed. */
export const resumeHint = ({ output }: { readonly output: string }): string =>
  output === '-' ? '' : ' Run the same command again to continue.';
