import { createHash } from 'node:crypto';
import { open, readFile, rename, rm, stat, writeFile, type FileHandle } from 'node:fs/promises';

import { CliError, configurationError, errorCode, errorText, ifThere } from '../errors.js';
import { parseJsonObject } from '../json-object.js';

/** The destination of an export. */
export interface Output {
  /**
   * Writes a page. Once it has resolved, an interrupted export can continue after this page. Resolves to false if the
   * reader has closed the stream.
   */
  writePage(text: string, cursor: string | null, records: number): Promise<boolean>;
  /** Completes the output. */
  finish(): Promise<void>;
  /** Closes an incomplete output, which the next run can continue. */
  close(): Promise<void>;
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

/**
 * Opens the output of an export: `-` is stdout, another one is a file, which may continue an earlier run.
 *
 * @param request - what is exported, without the key, so that only the same command can continue a file
 */
export const openOutput = async (
  stdout: NodeJS.WritableStream,
  { output: path, restart }: { readonly output: string; readonly restart?: boolean },
  request: readonly unknown[],
): Promise<{ readonly output: Output; readonly earlier: ExportState | undefined }> => {
  if (path === '-') return { output: streamOutput(stdout), earlier: undefined };
  const digest = createHash('sha256').update(JSON.stringify(request)).digest('hex');
  const earlier = restart === true ? undefined : await readState(path, digest);
  try {
    // Else a kill before the first page would leave the state of another file.
    if (earlier === undefined) await rm(statePath(path), { force: true });
    const handle = await open(partialPath(path), 'a');
    // Drops a page that was not completely written. It is read again.
    await handle.truncate(earlier?.bytes ?? 0);
    return { output: new PartialFile(path, handle, digest, earlier?.bytes ?? 0), earlier };
  } catch (error) {
    throw configurationError(`${path} cannot be written: ${errorText(error)}`);
  }
};

// Both are beside the output until the export is complete.
const partialPath = (output: string): string => `${output}.partial`;
const statePath = (output: string): string => `${output}.progress.json`;

/**
 * Reads the progress of an earlier run.
 *
 * @returns `undefined` if there was none, or its file is gone.
 * @throws CliError if the earlier run cannot be continued.
 */
const readState = async (output: string, request: string): Promise<ExportState | undefined> => {
  const path = statePath(output);
  const text = await ifThere(readFile(path, 'utf8'));
  if (text === undefined) return undefined;
  const state = parseState(text);
  if (state === undefined) throw new CliError(`${path} is damaged. Give --restart to start over.`);
  if (state.request !== request) {
    throw new CliError(
      `${path} belongs to another export. Finish that export first, or give --restart to start over with this one.`,
    );
  }
  const file = await ifThere(stat(partialPath(output)));
  if (file === undefined) return undefined;
  if (file.size < state.bytes) {
    throw new CliError(`${partialPath(output)} is shorter than its progress file says. Give --restart to start over.`);
  }
  return state;
};

const parseState = (text: string): ExportState | undefined => {
  const { request, cursor, bytes, records } = parseJsonObject(text);
  const isValid =
    typeof request === 'string' &&
    (cursor === null || typeof cursor === 'string') &&
    Number.isSafeInteger(bytes) &&
    Number.isSafeInteger(records);
  return isValid ? ({ request, cursor, bytes, records } as ExportState) : undefined;
};

/** A file that gets the name of the output when it is complete, and the file of its progress. */
class PartialFile implements Output {
  constructor(
    private readonly output: string,
    private readonly handle: FileHandle,
    private readonly request: string,
    private bytes: number,
  ) {}

  async writePage(text: string, cursor: string | null, records: number): Promise<boolean> {
    const content = Buffer.from(text, 'utf8');
    await this.handle.appendFile(content);
    this.bytes += content.length;
    // The data must be on disk before the state counts it, because the power may fail.
    await this.handle.datasync();
    const state: ExportState = { request: this.request, cursor, bytes: this.bytes, records };
    // Renaming replaces the old progress at once.
    const temporary = `${statePath(this.output)}.tmp`;
    await writeFile(temporary, `${JSON.stringify(state)}\n`);
    await rename(temporary, statePath(this.output));
    return true;
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

/** Writes to a stream at the speed of its reader. Such an export cannot be continued later. */
export const streamOutput = (stream: NodeJS.WritableStream): Output => ({
  writePage: (text) =>
    new Promise((resolve, reject) => {
      stream.write(text, (error) => {
        if (error === null || error === undefined) resolve(true);
        // The reader, for example `head`, has closed the pipe: no more pages are needed.
        else if (errorCode(error) === 'EPIPE') resolve(false);
        else reject(error);
      });
    }),
  finish: async () => undefined,
  close: async () => undefined,
});

/** What to do after an export has failed. */
export const resumeHint = ({ output }: { readonly output: string }): string =>
  output === '-' ? '' : ' Run the same command again to continue.';
