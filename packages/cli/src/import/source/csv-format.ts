import { open, stat } from 'node:fs/promises';
import { basename } from 'node:path';

import { parse } from 'csv-parse/sync';

import { configurationError, type CliError } from '../../errors.js';
import { chooseEncoding, markedEncoding } from './encoding.js';

/** The format of a CSV file. */
export interface CsvFormat {
  readonly delimiter: string;
  readonly encoding: string;
  /** The file begins with a byte order mark. */
  readonly hasMark?: boolean;
}

/** The format that the user gave. Undefined values are guessed. */
export interface GivenFormat {
  readonly delimiter?: string | undefined;
  readonly encoding?: string | undefined;
}

/** A format, and a description of the guesses: `Windows-1252, ";" between cells`. Empty for the usual format. */
export interface GuessedFormat {
  readonly format: CsvFormat;
  readonly guessed: string;
}

const sampleBytes = 256 * 1024;

const spreadsheetStarts = [
  [0x50, 0x4b, 0x03, 0x04],
  [0xd0, 0xcf, 0x11, 0xe0],
];

/** The usual format, which is not worth mentioning. */
const usual = { delimiter: ',', encoding: 'utf-8' } as const;

/**
 * Guesses the delimiter and the encoding of a CSV file if they are not given. A pipe can be read only once, so its
 * defaults are `,` and UTF-8.
 *
 * @throws CliError (78) for a spreadsheet, with advice.
 */
export const guessFormat = async (file: string, given: GivenFormat): Promise<GuessedFormat> => {
  const status = await stat(file).catch(() => undefined);
  const named = { delimiter: given.delimiter ?? usual.delimiter, encoding: given.encoding ?? usual.encoding };
  // A missing file is reported when it is opened.
  if (status?.isFile() !== true) return { format: named, guessed: '' };
  const sample = await readSample(file);
  if (spreadsheetStarts.some((start) => start.every((byte, index) => sample[index] === byte))) throw spreadsheet(file);
  const encoding = await chooseEncoding(file, sample, given.encoding);
  const delimiter = given.delimiter ?? guessDelimiter(new TextDecoder(encoding).decode(sample));
  const said = [
    ...(given.encoding === undefined && encoding !== usual.encoding ? [encodingNames[encoding] ?? encoding] : []),
    ...(given.delimiter === undefined && delimiter !== usual.delimiter ? [`${shown(delimiter)} between cells`] : []),
  ];
  return { format: { delimiter, encoding, hasMark: markedEncoding(sample) !== undefined }, guessed: said.join(', ') };
};

const encodingNames: Readonly<Record<string, string>> = {
  'utf-16le': 'UTF-16LE',
  'utf-16be': 'UTF-16BE',
  'windows-1252': 'Windows-1252',
};

const shown = (delimiter: string): string => (delimiter === '\t' ? 'tabs' : `"${delimiter}"`);

const delimiters = [',', ';', '\t', '|'];

/**
 * Guesses the delimiter: the one with which the most of the first records have as many cells as the header. The header
 * must have at least two. The default is a comma.
 */
const guessDelimiter = (sample: string): string => {
  const candidates = delimiters.map((delimiter) => {
    const [columns = 0, ...counts] = countCells(sample, delimiter);
    return { delimiter, columns, alike: counts.filter((count) => count === columns).length };
  });
  const possible = candidates.filter(({ columns }) => columns > 1);
  possible.sort((one, other) => other.alike - one.alike || other.columns - one.columns);
  return possible[0]?.delimiter ?? usual.delimiter;
};

/** The number of cells of each of the first records, up to one with a misplaced quote or the cut end of the sample. */
const countCells = (sample: string, delimiter: string): readonly number[] => {
  const counts: number[] = [];
  const on_record = (cells: string[]): null => {
    counts.push(cells.length);
    return null;
  };
  try {
    parse(sample, { delimiter, on_record, relax_column_count: true, skip_empty_lines: true, to: 50 });
  } catch {
    // The records before the fault are enough for a guess.
  }
  return counts;
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
