import { open, type FileHandle } from 'node:fs/promises';

import { errorCode } from '../errors.js';
import type { ExportState, PartialFile } from './export-state.js';

/** Where the lines of an export go. */
export interface Output {
  /**
   * Writes a page. Once it has resolved, an interrupted export continues after it. False if the reader has closed the
   * stream.
   */
  readonly writePage: (text: string, cursor: string | null, records: number) => Promise<boolean>;
  /** The output is complete. */
  readonly finish: () => Promise<void>;
  /** Ends without completing; what is written stays for the next run. */
  readonly close: () => Promise<void>;
}

/** Appends to the partial file of an earlier run. */
export const openPartialFile = async (
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
      // The state must not promise bytes that a power failure takes back.
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
  // Text after the last whole page was cut off in the middle; that page is read again.
  await handle.truncate(earlier.bytes);
  return handle;
};

/** Writes to a stream, as fast as its reader reads. A stream cannot be continued later. */
export const streamOutput = (stream: NodeJS.WritableStream): Output => ({
  writePage: (text) =>
    new Promise((resolve, reject) => {
      stream.write(text, (error) => {
        if (error === null || error === undefined) resolve(true);
        // A reader that has seen enough, as `head`: no further page has to be read.
        else if (errorCode(error) === 'EPIPE') resolve(false);
        else reject(error);
      });
    }),
  finish: async () => undefined,
  close: async () => undefined,
});
