import { open, stat } from 'node:fs/promises';
import { basename } from 'node:path';

import { configurationError, type CliError } from '../../errors.js';
import { type EncodingReading, findEncodings, markedEncoding } from './encoding.js';
import { type CsvRecord, RecordReader } from './record-reader.js';

/** The format of a CSV file. */
export interface CsvFormat {
  readonly delimiter: string;
  readonly encoding: string;
  /** The file begins with a byte order mark. */
  readonly hasMark?: boolean;
  /** The line on which the header starts, or one before it. */
  readonly headerLine: number;
  /** No row at the start of the file ends with an empty cell, so that shorter rows may lack theirs. */
  readonly omitsLastCells?: boolean;
}

/** The format that the user gave. Undefined values are guessed. */
export interface GivenFormat {
  readonly delimiter?: string | undefined;
  readonly encoding?: string | undefined;
  readonly headerLine?: number | undefined;
}

/** A format, and a description of the guesses: `Windows-1252 ("Müller"), ";" between cells`. Empty for the usual format. */
export interface GuessedFormat {
  readonly format: CsvFormat;
  readonly guessed: string;
  /** The possible encodings, if it is in doubt. The format has the first one. */
  readonly doubtful: readonly EncodingReading[];
}

const sampleBytes = 256 * 1024;

const spreadsheetStarts = [
  [0x50, 0x4b, 0x03, 0x04],
  [0xd0, 0xcf, 0x11, 0xe0],
];

/** The usual format, which is not worth mentioning. */
const usual = { delimiter: ',', encoding: 'utf-8' } as const;

/**
 * Finds the delimiter, the encoding and the header of a CSV file if they are not given. A pipe can be read only once, so
 * its defaults are `,`, UTF-8 and the first line.
 *
 * @throws CliError (78) for a spreadsheet or a web page, with advice.
 */
export const guessFormat = async (file: string, given: GivenFormat): Promise<GuessedFormat> => {
  const status = await stat(file).catch(() => undefined);
  const encodingGiven = given.encoding ?? usual.encoding;
  const named = {
    delimiter: given.delimiter ?? usual.delimiter,
    encoding: encodingGiven,
    headerLine: given.headerLine ?? 1,
  };
  // A missing file is reported when it is opened.
  if (status?.isFile() !== true) return { format: named, guessed: '', doubtful: [] };
  const sample = await readSample(file);
  if (spreadsheetStarts.some((start) => start.every((byte, index) => sample[index] === byte))) throw spreadsheet(file);
  const { readings, isSure } = await findEncodings(file, sample, given.encoding);
  const [{ encoding, sample: word } = { encoding: usual.encoding, sample: '' }] = readings;
  const text = new TextDecoder(encoding).decode(sample, { stream: true });
  if (/^\s*<(!doctype html|html|table|\?xml)/i.test(text)) throw webPage(file);
  const stated = /^sep=(.)(\r\n|\r|\n)/i.exec(text);
  const layout = guessLayout(text, given.delimiter ?? stated?.[1]);
  const isRejects = /^line.field.reason/.test(text);
  const least = stated === null ? 1 : 2;
  const headerLine = isRejects ? 1 : Math.max(least, given.headerLine ?? layout.headerLine);
  const { delimiter } = layout;
  const said = [
    ...(given.encoding === undefined && encoding !== usual.encoding
      ? [`${shownEncoding(encoding)}${word === '' ? '' : ` (${JSON.stringify(word)})`}`]
      : []),
    ...(given.delimiter === undefined && delimiter !== usual.delimiter ? [`${shown(delimiter)} between cells`] : []),
    ...(given.headerLine === undefined && headerLine > least ? [`the header on line ${headerLine}`] : []),
  ];
  const hasMark = markedEncoding(sample) !== undefined;
  const format = { delimiter, encoding, hasMark, headerLine, omitsLastCells: layout.omitsLastCells };
  return { format, guessed: said.join(', '), doubtful: isSure ? [] : readings };
};

/** `windows-1252` → `Windows-1252`, `utf-16le` → `UTF-16LE` */
const shownEncoding = (encoding: string): string =>
  /^(windows|macintosh|x-)/.test(encoding) ? encoding.replace(/^w/, 'W') : encoding.toUpperCase();

const shown = (delimiter: string): string => (delimiter === '\t' ? 'tabs' : `"${delimiter}"`);

const delimiters = [',', ';', '\t', '|'];

interface Layout {
  readonly delimiter: string;
  readonly headerLine: number;
  readonly omitsLastCells: boolean;
  /** The number of columns, and of the other records with as many cells. */
  readonly columns: number;
  readonly alike: number;
}

/** The most records that are compared. */
const mostRecords = 50;

/**
 * Guesses the delimiter: the one with which the most of the first records have as many cells as the header. The header
 * must have at least two. The default is a comma.
 */
const guessLayout = (sample: string, given: string | undefined): Layout => {
  const layouts = (given === undefined ? delimiters : [given]).map((delimiter) => layoutWith(sample, delimiter));
  const possible = layouts.filter(({ columns }) => columns > 1);
  possible.sort((one, other) => other.alike - one.alike || other.columns - one.columns);
  return possible[0] ?? layouts[0] ?? layoutWith(sample, usual.delimiter);
};

/**
 * The layout of the first records, up to one with a misplaced quote or the cut end of the sample. If the first record has
 * one cell and later ones have more, the header is the first one with as many cells as most records.
 */
const layoutWith = (sample: string, delimiter: string): Layout => {
  // The end of a longer file may be cut within a record.
  const isWhole = sample.length < sampleBytes / 4 || !sample.includes('\n');
  const records: CsvRecord[] = [];
  try {
    for (const record of new RecordReader(delimiter).read(sample, isWhole))
      if (records.push(record) === mostRecords) break;
  } catch {
    // The records before the fault are enough for a guess.
  }
  const counts = records.map(({ cells }) => cells.filter((cell) => cell !== '').length);
  const times = (columns: number): number => records.filter(({ cells }) => cells.length === columns).length;
  const usualCount = Math.max(
    0,
    ...records
      .filter((_, at) => (counts[at] ?? 0) > 1)
      .map(({ cells }) => cells.length)
      .sort((a, b) => times(a) - times(b))
      .slice(-1),
  );
  const isPreamble = (counts[0] ?? 0) <= 1 && usualCount > 1;
  const at = isPreamble
    ? records.findIndex(({ cells }, index) => cells.length === usualCount && (counts[index] ?? 0) > 1)
    : 0;
  const columns = records[at]?.cells.length ?? 0;
  const others = records.slice(at + 1).filter(({ cells }) => cells.length === columns);
  return {
    delimiter,
    headerLine: at <= 0 ? 1 : (records[at]?.line ?? 1),
    omitsLastCells: others.every(({ cells }) => cells.at(-1) !== ''),
    columns,
    alike: others.length,
  };
};

const readSample = async (file: string): Promise<Buffer> => {
  const handle = await open(file, 'r');
  try {
    const { buffer, bytesRead } = await handle.read(Buffer.alloc(sampleBytes), 0, sampleBytes, 0);
    return buffer.subarray(0, bytesRead);
  } finally {
    await handle.close();
  }
};

const spreadsheet = (file: string): CliError =>
  configurationError(
    `${basename(file)} is a spreadsheet, not CSV. Open it, choose File > Save As, the type "CSV UTF-8 (comma delimited)" (in ` +
      'LibreOffice: "Text CSV"), and import the new file. It holds one sheet.',
  );

const webPage = (file: string): CliError =>
  configurationError(
    `${basename(file)} is a web page or XML, not CSV. Its text may say why, such as a login that has ended. Export the file again.`,
  );
