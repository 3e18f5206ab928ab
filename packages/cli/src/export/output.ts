import { createHash } from 'node:crypto';
import { open, type FileHandle } from 'node:fs/promises';

import { configurationError, errorCode, errorText } from '../errors.js';
import { PartialFile, type ExportState } from './export-state.js';

/** The destination of an export. */
export interface Output {
  /**
   * Writes a page. Once it has resolved, an interrupted export can continue after this page. Resolves to false if the
   * reader has closed the stream.
   */
  readonly writePage: (text: string, cursor: string | null, records: number) => Promise<boolean>;
  /** Completes the output. */
  readonly finish: () => Promise<void>;
  /** Closes an incomplete output, which the next run can continue. */
  readonly close: () => Promise<void>;
}

/**
 * Opens the output of an export: `-` is stdout, another one is a file, which may continue an earlier run.
 *
 * @param request - what is exported, without the key, so that only the same command can continue a file
 */
export const openOutput = async (
  stdout: NodeJS.WritableStream,
  { output, restart }: { readonly output: string; readonly restart?: boolean },
  request: readonly unknown[],
): Promise<{ readonly output: Output; readonly earlier: ExportState | undefined }> => {
  if (output === '-') return { output: streamOutput(stdout), earlier: undefined };
  const digest = createHash('sha256').update(JSON.stringify(request)).digest('hex');
  const partial = new PartialFile(output);
  if (restart === true) await partial.discard();
  const earlier = await partial.read(digest);
  try {
    return { output: await openPartialFile(partial, digest, earlier), earlier };
  } catch (error) {
    throw configurationError(`${output} cannot be written: ${errorText(error)}`);
  }
};

/** Opens a new partial file, or the one of an earlier run to append to it. */
const openPartialFile = async (
  partial: PartialFile,
  request: string,
  earlier: ExportState | undefined,
): Promise<Output> => {
  const handle = await openAt(partial.path, earlier);
  let bytes = earlier?.bytes ?? 0;
  return {
    writePage: async (text, cursor, records) => {
      const content = Buffer.from(text, 'utf8');
      for (let written = 0; written < content.length;) {
        written += (await handle.write(content, written, content.length - written, bytes + written)).bytesWritten;
      }
      bytes += content.length;
      // The data must be on disk before the state counts it, because the power may fail.
      await handle.datasync();
      await partial.write({ request, cursor, bytes, records });
      return true;
    },
    finish: async () => {
      await handle.close();
      await partial.finish();
    },
    close: () => handle.close(),
  };
};

const openAt = async (path: string, earlier: ExportState | undefined): Promise<FileHandle> => {
  if (earlier === undefined) return open(path, 'w');
  const handle = await open(path, 'r+');
  // Drops a page that was not completely written. It is read again.
  await handle.truncate(earlier.bytes);
  return handle;
};

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
