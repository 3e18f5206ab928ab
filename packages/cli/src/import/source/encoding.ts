import { createReadStream } from 'node:fs';

/** The encodings of a CSV file, as `--encoding` and a mapping name them. */
export const encodings = ['utf-8', 'utf-16le', 'utf-16be', 'windows-1252', 'iso-8859-1'] as const;

const marks = [
  ['utf-8', [0xef, 0xbb, 0xbf]],
  ['utf-16le', [0xff, 0xfe]],
  ['utf-16be', [0xfe, 0xff]],
] as const;

/** The encoding that the byte order mark of a file names. */
export const markedEncoding = (start: Buffer): string | undefined =>
  marks.find(([, mark]) => mark.every((byte, index) => start[index] === byte))?.[0];

/**
 * Decides how a file is read. The first of these that exists:
 * - the encoding of its byte order mark. It overrides the other two, so that the rejects file of an import, which is
 *   UTF-8, can be imported with the same options and mapping
 * - the encoding of `--encoding`, or else of the mapping
 * - the guessed encoding: Windows-1252 or UTF-8
 *
 * @param start - the first bytes of the file
 */
export const chooseEncoding = async (file: string, start: Buffer, given: string | undefined): Promise<string> =>
  markedEncoding(start) ?? given ?? ((await isWindows1252(file)) ? 'windows-1252' : 'utf-8');

/** In a text that has one character for each byte. */
const beyondAscii = /[\x80-\xff]/;
const unassignedInWindows1252 = /[\x81\x8d\x8f\x90\x9d]/;
const utf8Character = /[\xc2-\xdf][\x80-\xbf]|[\xe0-\xef][\x80-\xbf]{2}|[\xf0-\xf4][\x80-\xbf]{3}/;

/**
 * Whether a file has bytes beyond ASCII, all of them assigned in Windows-1252, and no UTF-8 character. A file that mixes
 * UTF-8 characters with other bytes is read as UTF-8. The reader then refuses it with the line, because Windows-1252
 * would corrupt its UTF-8 characters.
 */
const isWindows1252 = async (file: string): Promise<boolean> => {
  let hasBeyondAscii = false;
  // A character may begin at the end of one chunk and end in the next.
  let tail = '';
  for await (const chunk of createReadStream(file, 'latin1') as AsyncIterable<string>) {
    const text = tail + chunk;
    if (text.includes('\0') || unassignedInWindows1252.test(text) || utf8Character.test(text)) return false;
    hasBeyondAscii ||= beyondAscii.test(text);
    tail = text.slice(-3);
  }
  return hasBeyondAscii;
};
