import { open, stat } from 'node:fs/promises';
import { basename } from 'node:path';

import { configurationError, type CliError } from '../../errors.js';
import type { CsvFormat } from './csv-rows.js';
import { guessDelimiter } from './guess-delimiter.js';
import { guessEncoding, markedEncoding } from './guess-encoding.js';

/** The format that the user gave. Undefined values are guessed. */
export interface GivenFormat {
  readonly delimiter: string | undefined;
  readonly encoding: string | undefined;
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
  const encoding = given.encoding ?? (await guessEncoding(file, sample));
  const delimiter =
    given.delimiter ?? guessDelimiter(new TextDecoder(encoding).decode(sample), status.size > sampleBytes);
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
