import { type FilterLeaf, type ObjectType, type Operator } from '@crm/domain';
import type { Parameters } from '../parameters.js';

/** The length in code points of the shortest text that a trigram index can find. */
const trigramLength = 3;

/** Whether a text is long enough for the trigram index. */
export const hasTrigram = (text: string): boolean => Array.from(text).length >= trigramLength;

const escapeLike = (text: string): string => text.replace(/[\\%_]/g, '\\$&');

/**
 * The condition that a word occurs in the search text of a record: `r.search_text LIKE '%word%'`. For a word shorter than a trigram,
 * `|| ''` stops the planner from using the trigram index, because it would read all entries.
 */
export const wordSql = (alias: 'n' | 'r' | 'x', word: string, parameters: Parameters): string => {
  const text = hasTrigram(word) ? `${alias}.search_text` : `(${alias}.search_text || '')`;
  return `${text} LIKE ${parameters.add(`%${escapeLike(word)}%`)}`;
};

const parts: ReadonlySet<Operator> = new Set<Operator>(['contains', 'starts_with', 'ends_with']);

/** Whether a comparison looks for a part of a text. */
export const isOfTextPart = ({ operator }: FilterLeaf): boolean => parts.has(operator) || operator === 'not_contains';

/** Whether the trigram index can find the texts that match a comparison. */
export const isOfTrigrams = ({ operator, value }: FilterLeaf): boolean =>
  parts.has(operator) && typeof value === 'string' && hasTrigram(value);

/** The fields that `search_text` contains. */
const searchedFields: Readonly<Record<ObjectType, ReadonlySet<string>>> = {
  opportunity: new Set(['name']),
  account: new Set(['name', 'domain']),
  contact: new Set(['name', 'first_name', 'last_name', 'email']),
};

/** Adds the condition that `search_text` contains the part, so that its trigram index finds the records. */
export const withSearchText = (alias: 'r' | 'x', { value }: FilterLeaf, parameters: Parameters, sql: string): string =>
  typeof value === 'string' ? `(${wordSql(alias, value, parameters)} AND ${sql})` : sql;

/** Whether the trigram index on `search_text` serves a comparison. */
export const isSearchedText = (objectType: ObjectType, leaf: FilterLeaf): boolean =>
  leaf.field.source === 'system' && searchedFields[objectType].has(leaf.field.field.name) && isOfTrigrams(leaf);

/**
 * The most parts of texts to look up in the trigram index. Each lookup costs an index scan and a second comparison per record. With more
 * parts, one comparison with all of them is faster, even without the index.
 */
const maxSearchedParts = 4;

/** The comparisons to use the trigram index for, out of those that it serves: the longest texts, because they are likely the rarest. */
export const partsToSearch = <Leaf extends FilterLeaf>(leaves: readonly Leaf[]): readonly Leaf[] =>
  [...leaves].sort((one, other) => String(other.value).length - String(one.value).length).slice(0, maxSearchedParts);

/** The LIKE pattern of a comparison with a part of a text. */
export const likePattern = ({ operator, value }: FilterLeaf): string => {
  const text = escapeLike(String(value));
  return `${operator === 'starts_with' ? '' : '%'}${text}${operator === 'ends_with' ? '' : '%'}`;
};
