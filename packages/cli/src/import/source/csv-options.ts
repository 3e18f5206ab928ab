import { type Command, InvalidArgumentError, Option } from 'commander';

import { encodings } from './encoding.js';

/** Reads `--encoding`, ignoring case. */
const readEncodingOption = (text: string): string => {
  const encoding = encodings.find((candidate) => candidate === text.toLowerCase());
  if (encoding === undefined) throw new InvalidArgumentError(`Must be one of ${encodings.join(', ')}.`);
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

/** Adds `--delimiter` and `--encoding`. */
export const withCsvOptions = (command: Command): Command =>
  command
    .addOption(delimiterOption('guessed'))
    .addOption(
      new Option('--encoding <name>', `${encodings.join(', ')} (default: guessed)`).argParser(readEncodingOption),
    );
