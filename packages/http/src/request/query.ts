import { isUtf8 } from 'node:buffer';
import { ErrorCollector, isBlank } from '@crm/domain';

/** A query as read: text by name, and `fields` and `changed` as lists. Has no prototype. */
export type QueryInput = Readonly<Record<string, string | string[]>>;

/** Parameters that are lists of names. */
const listNames = ['fields', 'changed'];
const noNames: ReadonlySet<string> = new Set();
const shownNameLength = 100;

const notAscii = /[^\x20-\x7e]/;

const badEscape = /%(?![0-9a-f]{2})/i;

/**
 * Why a part of an address cannot be decoded, and how to send it.
 * @param raw - as Node gives it: each byte is a character
 */
export const encodingFault = (raw: string): string => {
  const bytes = Buffer.from(raw, 'latin1');
  const [character] = (isUtf8(bytes) ? bytes.toString() : '').match(/[^\x20-\x7e]/u) ?? [];
  if (character !== undefined)
    return `must be percent-encoded UTF-8: send ${character} as ${encodeURIComponent(character)}`;
  return badEscape.test(raw) ? 'must be percent-encoded UTF-8: send % as %25' : 'must be percent-encoded UTF-8';
};

/** Decodes a part of an address. Returns `null` for broken escapes, invalid UTF-8 and unescaped bytes. */
export const decode = (text: string): string | null => {
  if (notAscii.test(text)) return null;
  if (!text.includes('%')) return text;
  try {
    return decodeURIComponent(text);
  } catch {
    return null;
  }
};

/** Decodes a name or value of a query, in which a plus sign is a space. */
const decodeQuery = (text: string): string | null => decode(text.replaceAll('+', ' '));

const splitPair = (pair: string): readonly [name: string, value: string] => {
  const equals = pair.indexOf('=');
  return equals === -1 ? [pair, ''] : [pair.slice(0, equals), pair.slice(equals + 1)];
};

const splitNames = (value: string): string[] =>
  value
    .split(',')
    .map((name) => name.trim())
    .filter((name) => name !== '');

/**
 * Reads the text after the `?`. Nothing is guessed: a broken escape, U+0000 and a duplicate parameter are errors. Only
 * `fields` and `changed` may be repeated, also as `fields[]` or `fields[0]`, or contain several names, separated by commas.
 * @param known - the parameters of the operation, which count as absent if they are blank
 */
export const readQuery = (text: string, errors: ErrorCollector, known: ReadonlySet<string> = noNames): QueryInput => {
  const query = Object.create(null) as Record<string, string | string[]>;
  if (text === '') return query;
  const seen = new Set<string>();
  const lists = new Map(listNames.map((name) => [name, [] as string[]]));
  for (const pair of text.split('&')) {
    if (pair === '') continue;
    const [rawName, rawValue] = splitPair(pair);
    const name = decodeQuery(rawName);
    if (name === null || name.includes('\0')) {
      errors.add('query', 'has a parameter name that is not percent-encoded UTF-8');
      continue;
    }
    const value = decodeQuery(rawValue);
    const list = lists.get(name.replace(/\[\d*\]$/, ''));
    if (value === null) errors.add(name.slice(0, shownNameLength), encodingFault(rawValue));
    else if (value.includes('\0')) errors.add(name.slice(0, shownNameLength), 'must not contain U+0000');
    else if (list !== undefined) list.push(...splitNames(value));
    else if (seen.has(name)) errors.add(name.slice(0, shownNameLength), 'is given twice');
    else if (!isBlank(value) || !known.has(name)) query[name] = value;
    seen.add(name);
  }
  for (const [name, values] of lists) if (values.length > 0) query[name] = values;
  return query;
};
