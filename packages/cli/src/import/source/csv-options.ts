import { type Command, InvalidArgumentError, Option } from 'commander';

import { canonicalEncoding, encodingsText } from './encoding.js';
import { wholeNumber } from '../../options.js';

/** Reads `--encoding`, ignoring case. */
const readEncodingOption = (text: string): string => {
  const encoding = canonicalEncoding(text);
  if (encoding === undefined) throw new InvalidArgumentError(`Must be ${encodingsText}.`);
  return encoding;
};

/** Reads `--delimiter`: one character, or `tab`. */
const readDelimiterOption = (text: string): string => {
  if (text === 'tab' || text === '\\t') return '\t';
  if ([...text].length === 1 && !/["\r\n]/.test(text)) return text;
  throw new InvalidArgumentError('Must be one character, or tab.');
};

/** The option `--delimiter`, with the text about its default. */
export const delimiterOption = (otherwise: string): Option =>
  new Option('--delimiter <sign>', `the separator between cells, or the word tab (default: ${otherwise})`).argParser(
    readDelimiterOption,
  );

/** The options about the file. */
export interface CsvFileOptions {
  readonly delimiter?: string;
  readonly encoding?: string;
  readonly headerLine?: number;
}

/** Adds `--delimiter`, `--encoding` and `--header-line`. */
export const withCsvOptions = (command: Command): Command =>
  command
    .addOption(delimiterOption('guessed'))
    .addOption(
      new Option('--encoding <name>', `${encodingsText} (default: found, if only one is possible)`).argParser(
        readEncodingOption,
      ),
    )
    .option(
      '--header-line <n>',
      'the line that names the columns (default: 1, or the first full line after lines with one cell)',
      wholeNumber(1, 1000),
    );
