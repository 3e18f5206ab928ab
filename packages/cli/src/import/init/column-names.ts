import { isBlank } from '@crm/domain';

import { findTarget, type ImportObject, importObjects } from '../targets.js';
import { fullName, namesByObject, words } from './headers.js';

/** A field, and the column that probably contains it. */
export interface MatchedColumn {
  readonly field: string;
  readonly column: string;
}

/** The columns of a file, with the values in the first rows. */
export type Columns = ReadonlyMap<string, readonly string[]>;

const smallWords = /^(d|l|der|des|of|the|van|de|di|du|da|do|del|dell|della|el|la|le)$/;

/**
 * Lower-cases a name, and removes its accents, punctuation and small words, and what is in brackets: `Close Date`,
 * `close_date` and `closeDate` become `closedate`, `Währung (ISO)` becomes `wahrung`, `Fecha de cierre` `fechacierre`.
 */
export const simplified = (name: string): string => {
  const outside = name.replace(/[([].*?[)\]]/g, '') || name;
  // Upper-casing first turns ß into ss.
  const spaced = outside
    .replace(/(\p{Ll})(\p{Lu})/gu, '$1 $2')
    .toUpperCase()
    .toLowerCase();
  const plain = spaced.normalize('NFKD').replace(/\p{M}/gu, '').replaceAll('ł', 'l');
  return plain
    .split(/[^\p{L}\p{N}]+/u)
    .filter((part) => !smallWords.test(part))
    .join('');
};

const isFilled = (text: string): boolean => !isBlank(text);

/** Whether at least half of the values that are not blank match. */
export const mostMatch = (values: readonly string[], isMatch: (text: string) => boolean): boolean => {
  const texts = values.filter(isFilled);
  return texts.filter(isMatch).length * 2 >= texts.length;
};

/** Nine of ten rows have no value. */
export const isAlmostEmpty = (values: readonly string[] = []): boolean =>
  values.length > 0 && values.filter(isFilled).length * 10 < values.length;

const anyWord = new RegExp(Object.keys(words).join('|'), 'g');
const withWords = (name: string): string =>
  name.replace(anyWord, (word) => `(?:${words[word]?.replace(/\|\s+/g, '|')})`);

/** The word for the object itself, and the fields that show what a file contains. */
const typical: Readonly<Record<ImportObject, readonly [own: string, fields: RegExp]>> = {
  opportunity: ['DEAL', /^(stage|amount|close_date)$/],
  account: ['ACCOUNT', /^(domain|industry|employee_range)$/],
  contact: ['CONTACT', /^(email|first_name|last_name|phone)$/],
  note: ['notes?', /^content$/],
};

/** The patterns of the names of a field, the best first. */
const patternsOf = (object: ImportObject, names = ''): readonly RegExp[] => {
  const own = `(?:${withWords(typical[object][0])})?`;
  return names.split(/\s+/).map((name) => new RegExp(`^${own}(?:${withWords(name)})${own}$`));
};

/** What most values of a field look like. */
const shapeOf = (object: ImportObject, field: string): RegExp => {
  if (/domains?$/.test(field)) return /^[^\s@]+\.[^\s@,;]+([,;] .*)?$/;
  if (/emails?$/.test(field) && field !== 'owner_email') return /@/;
  return ['number', 'instant'].includes(findTarget(object, field)?.kind ?? '') ? /\p{Nd}/u : /./;
};

/**
 * Finds the column of each field: the first of its names that the file has with such values, if possible one that is not
 * almost empty. No column is used twice.
 *
 * @param custom - names of the columns of custom fields
 */
export const matchColumns = (
  object: ImportObject,
  columns: Columns,
  custom: Readonly<Record<string, string>> = {},
): readonly MatchedColumn[] => {
  const free = new Set(columns.keys());
  const found = Object.entries({ ...namesByObject[object], ...custom }).flatMap(([field, names]) => {
    const shape = shapeOf(object, field);
    const alike = patternsOf(object, names).flatMap((pattern) =>
      [...free]
        .filter((column) => pattern.test(simplified(column)))
        .filter((column) => mostMatch(columns.get(column) ?? [], (text) => shape.test(text.trim())))
        // `Amount` is a better amount than `Amount (converted)`.
        .sort((one, other) => Number(/[([]/.test(one)) - Number(/[([]/.test(other))),
    );
    const filled = alike.find((column) => !isAlmostEmpty(columns.get(column)));
    const column = filled ?? alike[0];
    if (column === undefined) return [];
    free.delete(column);
    return [{ field, column }];
  });
  // `Nome` is a first name beside `Cognome`, and otherwise a full name.
  const parts = found.filter(({ field }) => ['first_name', 'last_name'].includes(field));
  const isWhole = ({ column }: MatchedColumn): boolean =>
    patternsOf(object, namesByObject.contact[fullName]).some((pattern) => pattern.test(simplified(column)));
  return found.flatMap((one) => {
    if (one.field === fullName) return parts.length === 0 ? [one] : [];
    return parts.length === 1 && parts[0] === one && isWhole(one) ? [{ ...one, field: fullName }] : [one];
  });
};

/** Guesses from the columns what a file contains. Typical fields count 2, links 0.5. The default is opportunities. */
export const guessObject = (columns: Columns): ImportObject => {
  const scores = importObjects.map((object) => {
    const [own, fields] = typical[object];
    const starts = new RegExp(`^(?:${withWords(own)})`);
    const named = [...columns.keys()].filter((column) => starts.test(simplified(column))).length / 10;
    const points = matchColumns(object, columns).map(({ field }) =>
      fields.test(field) ? 2 : /^(account|contact|primary|external)_/.test(field) ? 0.5 : 1,
    );
    return { object, score: points.reduce((sum, one) => sum + one, named) };
  });
  return scores.reduce((best, one) => (one.score > best.score ? one : best)).object;
};
