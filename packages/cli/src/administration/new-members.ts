import { readFile } from 'node:fs/promises';

import { normalizeEmail, normalizeName } from '@crm/domain';
import { parse } from 'csv-parse/sync';

import { CliError, errorCode, errorText, usageError } from '../errors.js';

/** A person to add as a member. */
export interface NewMember {
  readonly email: string;
  readonly name: string;
}

/**
 * Reads a file of members, one per line: `email` or `email,name`. The header line is optional.
 *
 * @throws CliError that names the line that cannot be read.
 */
export const readMembersFile = async (file: string): Promise<readonly NewMember[]> => {
  const records = parseMembers(file, await readText(file));
  const isHeader = (cells: readonly string[]): boolean => cells[0]?.trim().toLowerCase() === 'email';
  return records.flatMap(({ line, cells }, index) =>
    index === 0 && isHeader(cells) ? [] : [makeMember(cells[0] ?? '', cells[1], `${file}:${line}: `)],
  );
};

/**
 * Validates a member. Without a name, derives one from the address: ann.lee@acme.com → Ann Lee.
 *
 * @throws CliError (2) if the address or the name is invalid. The message starts with `place`.
 */
export const makeMember = (address: string, givenName: string | undefined, place = ''): NewMember => {
  const email = normalizeEmail(address);
  if (!email.ok) throw usageError(`${place}${address}: ${email.message}`);
  const name = normalizeName(givenName?.trim() ? givenName : nameFromEmail(email.value.email));
  if (!name.ok) throw usageError(`${place === '' ? '--name' : `${place}name`}: ${name.message}`);
  return { email: email.value.email, name: name.value };
};

const nameFromEmail = (email: string): string => {
  const words = (email.split('@')[0] ?? '').split(/[^a-z0-9]+/i).filter((word) => word !== '');
  return words.map((word) => word.charAt(0).toUpperCase() + word.slice(1)).join(' ') || email;
};

const parseMembers = (file: string, text: string): readonly { line: number; cells: readonly string[] }[] => {
  try {
    const options = { bom: true, info: true, relax_column_count: true, skip_empty_lines: true, trim: true } as const;
    const records = parse(text, options) as unknown as { record: string[]; info: { lines: number } }[];
    return records.map(({ record, info }) => ({ line: info.lines, cells: record }));
  } catch (error) {
    throw new CliError(`${file} cannot be read: ${errorText(error)}`);
  }
};

const readText = async (file: string): Promise<string> => {
  try {
    return await readFile(file, 'utf8');
  } catch (error) {
    throw errorCode(error) === 'ENOENT' ? usageError(`--file: There is no file ${file}.`) : error;
  }
};
