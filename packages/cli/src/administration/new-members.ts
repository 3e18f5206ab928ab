import { readFile } from 'node:fs/promises';

import { normalizeEmail, normalizeName } from '@crm/domain';
import { parse } from 'csv-parse/sync';

import { CliError, errorCode, errorText, usageError } from '../errors.js';

/** A person to become a member. */
export interface NewMember {
  readonly email: string;
  readonly name: string;
}

/**
 * Reads a file of members: one a line, `email` or `email,name`, with or without that header.
 *
 * @throws CliError naming the line that cannot be read.
 */
export const readMembersFile = async (file: string): Promise<readonly NewMember[]> => {
  const records = parseMembers(file, await readText(file));
  const isHeader = (cells: readonly string[]): boolean => cells[0]?.trim().toLowerCase() === 'email';
  return records.flatMap(({ line, cells }, index) =>
    index === 0 && isHeader(cells) ? [] : [makeMember(cells[0] ?? '', cells[1], `${file}:${line}: `)],
  );
};

/**
 * A member by address; without a name the address gives one: ann.lee@acme.com is Ann Lee.
 *
 * @throws CliError (2), its message after `place`, when address or name cannot be used.
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
