import { type FilterLeaf, type ObjectType, type Operator } from '@crm/domain';
import type { Parameters } from './parameters.js';

/** The fewest code points that a trigram index can look for. */
const trigramLength = 3;

/** Whether the trigram index can look for a text. */
export const hasTrigram = (text: string): boolean => Array.from(text).length >= trigramLength;

const escapeLike = (text: string): string => text.replace(/[\\%_]/g, '\\$&');

/** The condition that a word occurs in what `q` looks through. A short one is kept from the index, all of which would be read. */
export const wordSql = (alias: 'r' | 'x', word: string, parameters: Parameters): string => {
  const text = hasTrigram(word) ? `${alias}.search_text` : `(${alias}.search_text || '')`;
  return `${text} LIKE ${parameters.add(`%${escapeLike(word)}%`)}`;
};

const parts: ReadonlySet<Operator> = new Set<Operator>(['contains', 'starts_with', 'ends_with']);

/** Whether a comparison looks for a part of a text, or for texts without it. */
export const isOfTextPart = ({ operator }: FilterLeaf): boolean => parts.has(operator) || operator === 'not_contains';

/** Whether a comparison looks for a part of a text that is long enough for the trigram index. */
export const isOfTrigrams = ({ operator, value }: FilterLeaf): boolean =>
  parts.has(operator) && typeof value === 'string' && hasTrigram(value);

/** The fields that are all in `search_text`. */
const searchedFields: Readonly<Record<ObjectType, ReadonlySet<string>>> = {
  opportunity: new Set(['name']),
  account: new Set(['name', 'domain']),
  contact: new Set(['name', 'first_name', 'last_name', 'email']),
};

/** Whether a filter asks for a part of a text that the trigram index of `q` covers. */
export const isSearchedText = (objectType: ObjectType, leaf: FilterLeaf): boolean =>
  leaf.field.source === 'system' && searchedFields[objectType].has(leaf.field.field.name) && isOfTrigrams(leaf);

/**
 * The most parts of a text for which the trigram index is used. Each costs a scan of the index and a second comparison per record;
 * beyond a few, comparing all parts at once is quicker, also where the index is not used at all.
 */
const maxSearchedParts = 4;

/** Of comparisons that the trigram index covers, those that it is used for: the longest texts, which the fewest records hold. */
export const partsToSearch = <Leaf extends FilterLeaf>(leaves: readonly Leaf[]): readonly Leaf[] =>
  [...leaves].sort((one, other) => String(other.value).length - String(one.value).length).slice(0, maxSearchedParts);

/** What a comparison looks for, as a pattern of LIKE. */
export const likePattern = ({ operator, value }: FilterLeaf): string => {
  const text = escapeLike(String(value));
  return `${operator === 'starts_with' ? '' : '%'}${text}${operator === 'ends_with' ? '' : '%'}`;
};
