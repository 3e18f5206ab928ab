import { createReadStream } from 'node:fs';

/**
 * The encodings that are tried for a file that is not UTF-8, the likelier first. `--encoding` takes every name that
 * Node knows.
 */
const candidates =
  `windows-1252 windows-1250 windows-1251 koi8-r koi8-u shift_jis gb18030 big5 euc-kr euc-jp windows-1253
  windows-1254 windows-1255 windows-1256 windows-1257 windows-1258 windows-874 iso-8859-2 iso-8859-5 iso-8859-7 iso-8859-15
  macintosh x-mac-cyrillic ibm866`.split(/\s+/);

/** What an encoding may be, for errors and help. */
export const encodingsText = `utf-8, utf-16le, utf-16be, ${candidates.join(', ')}, or another name that Node knows`;

/** The name of an encoding as Node writes it; undefined if Node does not know it. */
export const canonicalEncoding = (name: string): string | undefined => {
  // Node also decodes Latin-1 as Windows-1252, as browsers do.
  try {
    return name.toLowerCase() === 'iso-8859-1' ? 'iso-8859-1' : new TextDecoder(name, { fatal: true }).encoding;
  } catch {
    return undefined;
  }
};

const marks = [
  ['utf-8', [0xef, 0xbb, 0xbf]],
  ['utf-16le', [0xff, 0xfe]],
  ['utf-16be', [0xfe, 0xff]],
] as const;

/** The encoding that the byte order mark of a file names. */
export const markedEncoding = (start: Buffer): string | undefined =>
  marks.find(([, mark]) => mark.every((byte, index) => start[index] === byte))?.[0];

/** A reading of a file: its encoding, and its first words beyond ASCII as that encoding decodes them. */
export interface EncodingReading {
  readonly encoding: string;
  readonly sample: string;
}

/** The possible readings of a file, the likeliest first. */
export interface FoundEncodings {
  readonly readings: readonly EncodingReading[];
  /** Whether the first one is right. Otherwise the user must choose, because each has other texts. */
  readonly isSure: boolean;
}

const sureOf = (encoding: string, sample = ''): FoundEncodings => ({ readings: [{ encoding, sample }], isSure: true });

/** The part of the words that must look like words for a reading to be possible. */
const leastPlausible = 0.6;

/**
 * Finds how a file can be read. Sure is the first of these that exists:
 * - the encoding of its byte order mark. It overrides the other two, so that the rejects file of an import, which is
 *   UTF-8, can be imported with the same options and mapping
 * - the encoding of `--encoding`, or else of the mapping
 * - UTF-8, if the whole file is UTF-8; UTF-16, if every second byte of the start is zero
 * - Windows-1252, if every word looks like one, and in no other encoding most words do
 *
 * @param start - the first bytes of the file
 */
export const findEncodings = async (
  file: string,
  start: Buffer,
  given: string | undefined,
): Promise<FoundEncodings> => {
  const stated = markedEncoding(start) ?? given ?? unmarkedUtf16(start);
  if (stated !== undefined) return sureOf(stated);
  const words = await wordsBeyondAscii(file);
  const inUtf8 = words.flatMap((word) => decode(word, 'utf-8') ?? []);
  if (inUtf8.length === words.length) return sureOf('utf-8');
  const readings = new Map<string, EncodingReading & { readonly plausible: number }>();
  for (const encoding of candidates) {
    const texts = words.flatMap((word) => decode(word, encoding) ?? []);
    const plausible = texts.filter(isPlausible).length / words.length;
    const all = texts.join('\n');
    // A word of UTF-8 among others means a mixed file, but two bytes of an East Asian encoding can look like one.
    const isMixed = inUtf8.length > 0 && !(eastAsian.test(encoding) && plausible === 1);
    if (isMixed || texts.length < words.length || plausible < leastPlausible || readings.has(all)) continue;
    readings.set(all, { encoding, sample: texts.slice(0, 3).join(' ').slice(0, 60), plausible });
  }
  const [best, ...others] = [...readings.values()].sort((one, other) => other.plausible - one.plausible);
  // The decoder then refuses the file with the line.
  if (best === undefined) return sureOf('utf-8');
  const isSure = others.length === 0 && best.encoding === 'windows-1252' && best.plausible === 1;
  return { readings: [best, ...others].map(({ encoding, sample }) => ({ encoding, sample })), isSure };
};

/** Readings for people: `windows-1251 ("Иван"), or iso-8859-5 ("Штрэ")`. */
export const readingsText = (readings: readonly EncodingReading[]): string =>
  readings
    .slice(0, 6)
    .map(({ encoding, sample }) => `${encoding} (${JSON.stringify(sample)})`)
    .join(', or ');

const eastAsian = /^(shift_jis|gb18030|big5|euc-)/;

const unmarkedUtf16 = (start: Buffer): string | undefined => {
  const zeros = [0, 1].map(
    (odd) => start.subarray(0, 1000).filter((byte, index) => byte === 0 && index % 2 === odd).length,
  );
  const [even = 0, odd = 0] = zeros;
  if (even + odd < 2 || (even > 0 && odd > 0)) return undefined;
  return odd > 0 ? 'utf-16le' : 'utf-16be';
};

const decode = (word: Buffer, encoding: string): string | undefined => {
  const decoder = new TextDecoder(encoding, { fatal: true });
  try {
    // Without `stream`, Node 20 reads Windows-1252 as Latin-1.
    return decoder.decode(word, { stream: true }) + decoder.decode();
  } catch {
    return undefined;
  }
};

/** The most different words that are compared. A file has fewer, or shows its encoding in these. */
const mostWords = 20_000;

/** Where the word at the end of a text starts, at most a thousand characters before the end. */
const startOfLastWord = (text: string): number => {
  const least = Math.max(0, text.length - 1000);
  let start = text.length;
  while (start > least && /[0-9@-\xff]/.test(text.charAt(start - 1))) start -= 1;
  return start;
};

/**
 * The different words of a file with bytes beyond ASCII. A word ends at a byte that no encoding uses inside a character,
 * such as a comma or a space.
 */
const wordsBeyondAscii = async (file: string): Promise<readonly Buffer[]> => {
  const words = new Set<string>();
  let tail = '';
  const add = (text: string): void => {
    // One pattern for both would take quadratic time for a long run of ASCII letters, such as a file in base64.
    for (const [word] of text.matchAll(/[0-9@-\xff]+/g))
      if (words.size < mostWords && /[\x80-\xff]/.test(word)) words.add(word);
  };
  for await (const chunk of createReadStream(file, 'latin1') as AsyncIterable<string>) {
    const text = tail + chunk;
    const end = startOfLastWord(text);
    add(text.slice(0, end));
    tail = text.slice(end);
  }
  add(tail);
  return [...words].map((word) => Buffer.from(word, 'latin1'));
};

/**
 * Whether a word may be a text: no control characters or signs within it, letters of one script, and capitals only at
 * the start of a part. It rules out `M³ller`, `Mьller`, `хБЮМ` and `Èâàí`, which have no letter that is ASCII.
 */
const isPlausible = (word: string): boolean => {
  const text = word.normalize('NFC');
  if (/[\p{Cc}\p{Co}\p{Cn}\uFFFD]/u.test(text)) return false;
  if (/\p{L}[^\p{ASCII}\p{L}\p{M}\p{Nd}\p{Zs}’–—·]\p{L}/u.test(text)) return false;
  for (const [run] of text.matchAll(/[\p{L}\p{M}]+/gu)) {
    const latin = (run.match(/\p{Script=Latin}/gu) ?? []).length;
    const others = ['Cyrillic', 'Greek', 'Hebrew', 'Arabic', 'Thai'].filter((script) =>
      new RegExp(`\\p{Script=${script}}`, 'u').test(run),
    ).length;
    const isEastAsian = /[\p{Script=Han}\p{Script=Hangul}\p{Script=Hiragana}\p{Script=Katakana}]/u.test(run);
    if (others + Number(latin > 0) > 1 || (isEastAsian && (others > 0 || /[a-z][^\x00-\x7f]+[a-z]/i.test(run))))
      return false;
    if (latin >= 3 && !/[a-z]/i.test(run)) return false;
    if (/\p{Ll}(?![A-Z])\p{Lu}/u.test(run)) return false;
  }
  return true;
};
