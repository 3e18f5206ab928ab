import { readFile } from 'node:fs/promises';

import { optionColors } from '@crm/domain';

import { errorCode, usageError } from '../errors.js';

/** A select option from the command line. Missing properties get defaults. */
export interface GivenOption {
  readonly label: string;
  readonly value?: string;
  readonly color?: string;
}

const isColor = (text: string): boolean => /^#[0-9a-f]{6}$/i.test(text) || optionColors.some((color) => color === text);

/** Reads `value=Label:color`; value and color are optional. A colon without a color after it belongs to the label. */
export const readOption = (text: string): GivenOption => {
  const equals = text.indexOf('=');
  const value = equals > 0 ? text.slice(0, equals).trim() : undefined;
  const rest = text.slice(equals > 0 ? equals + 1 : 0);
  const colon = rest.lastIndexOf(':');
  const last = rest.slice(colon + 1).trim();
  const color = colon > 0 && isColor(last) ? last : undefined;
  const label = (color === undefined ? rest : rest.slice(0, colon)).trim();
  return { label, ...(value === undefined ? {} : { value }), ...(color === undefined ? {} : { color }) };
};

/**
 * Reads a file of options, one per line, in the syntax of {@link readOption}.
 *
 * @throws CliError (2) if there is no such file.
 */
export const readOptionsFile = async (file: string): Promise<readonly GivenOption[]> => {
  try {
    const lines = (await readFile(file, 'utf8')).replace(/^\uFEFF/, '').split(/\r?\n/);
    return lines.filter((line) => line.trim() !== '').map(readOption);
  } catch (error) {
    throw errorCode(error) === 'ENOENT' ? usageError(`--options-file: There is no file ${file}.`) : error;
  }
};
