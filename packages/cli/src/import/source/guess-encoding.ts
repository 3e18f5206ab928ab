import { createReadStream } from 'node:fs';

/**
 * Guesses the encoding of a file. The first of these that applies:
 * - the encoding of its byte order mark
 * - UTF-16, if more than a quarter of its bytes are zero, nearly all of them at even or nearly all at odd offsets
 * - Windows-1252, if it has bytes beyond ASCII, all of them assigned there, and no UTF-8 character
 * - UTF-8
 *
 * A file that mixes UTF-8 characters with other bytes is read as UTF-8. The reader then refuses it with the line,
 * because another encoding would corrupt its UTF-8 characters.
 */
export const guessEncoding = async (file: string, sample: Buffer): Promise<string> =>
  markedEncoding(sample) ?? guessUtf16(sample) ?? ((await hasOnlySingleBytes(file)) ? 'windows-1252' : 'utf-8');

const marks = [
  ['utf-8', [0xef, 0xbb, 0xbf]],
  ['utf-16le', [0xff, 0xfe]],
  ['utf-16be', [0xfe, 0xff]],
] as const;

/** The encoding that a byte order mark names. */
export const markedEncoding = (start: Buffer): string | undefined =>
  marks.find(([, mark]) => mark.every((byte, index) => start[index] === byte))?.[0];

/** In UTF-16, Latin letters, digits and delimiters have one zero byte, either at all even or at all odd offsets. */
const guessUtf16 = (sample: Buffer): string | undefined => {
  const zeros = [0, 0];
  sample.forEach((byte, index) => {
    if (byte === 0) zeros[index % 2] = (zeros[index % 2] ?? 0) + 1;
  });
  const [even = 0, odd = 0] = zeros;
  const least = sample.length / 4;
  if (odd > least && even < odd / 10) return 'utf-16le';
  return even > least && odd < even / 10 ? 'utf-16be' : undefined;
};

/** Bytes that are not assigned in Windows-1252. */
const unassigned = new Set([0x81, 0x8d, 0x8f, 0x90, 0x9d]);

const hasOnlySingleBytes = async (file: string): Promise<boolean> => {
  let hasBeyondAscii = false;
  let expected = 0;
  for await (const chunk of createReadStream(file) as AsyncIterable<Buffer>) {
    for (const byte of chunk) {
      const isContinuation = byte >= 0x80 && byte < 0xc0;
      if (byte === 0 || unassigned.has(byte)) return false;
      // One complete UTF-8 character rules Windows-1252 out.
      if (expected > 0 && isContinuation && --expected === 0) return false;
      if (!isContinuation) expected = continuationBytes(byte);
      if (byte >= 0x80) hasBeyondAscii = true;
    }
  }
  return hasBeyondAscii;
};

/** The number of bytes after the first byte of a UTF-8 character. */
const continuationBytes = (byte: number): number => {
  if (byte >= 0xc2 && byte < 0xe0) return 1;
  if (byte >= 0xe0 && byte < 0xf0) return 2;
  return byte >= 0xf0 && byte < 0xf5 ? 3 : 0;
};
