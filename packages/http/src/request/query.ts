import { ErrorCollector } from '@crm/domain';

/** A query as read: text by name, and `fields` and `changed` as lists. Has no prototype. */
export type QueryInput = Readonly<Record<string, string | string[]>>;

/** Parameters that are lists of names. */
const listNames = ['fields', 'changed'];
/** Parameters that count as absent if they are blank. */
const blankIsAbsent = new Set(['q', 'cursor']);
const shownNameLength = 100;

const notAscii = /[^\x20-\x7e]/;

/** Decodes one name or value. Returns `null` for broken escapes, invalid UTF-8 and unescaped bytes. */
const decode = (text: string): string | null => {
  if (notAscii.test(text)) return null;
  if (!text.includes('%') && !text.includes('+')) return text;
  try {
    return decodeURIComponent(text.replaceAll('+', ' '));
  } catch {
    return null;
  }
};

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
 * `fields` and `changed` may be repeated, also as `fields[]`, or contain several names, separated by commas.
 */
export const readQuery = (text: string, errors: ErrorCollector): QueryInput => {
  const query = Object.create(null) as Record<string, string | string[]>;
  if (text === '') return query;
  const seen = new Set<string>();
  const lists = new Map(listNames.map((name) => [name, [] as string[]]));
  for (const pair of text.split('&')) {
    if (pair === '') continue;
    const [rawName, rawValue] = splitPair(pair);
    const name = decode(rawName);
    if (name === null || name.includes('\0')) {
      errors.add('query', 'has a parameter name that is not percent-encoded UTF-8');
      continue;
    }
    const value = decode(rawValue);
    const list = lists.get(name.replace(/\[\]$/, ''));
    if (value === null) errors.add(name.slice(0, shownNameLength), 'must be percent-encoded UTF-8');
    else if (value.includes('\0')) errors.add(name.slice(0, shownNameLength), 'must not contain U+0000');
    else if (list !== undefined) list.push(...splitNames(value));
    else if (seen.has(name)) errors.add(name.slice(0, shownNameLength), 'is given twice');
    else if (!blankIsAbsent.has(name) || value.trim() !== '') query[name] = value;
    seen.add(name);
  }
  for (const [name, values] of lists) if (values.length > 0) query[name] = values;
  return query;
};
