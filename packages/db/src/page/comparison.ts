import { type FilterLeaf, type FilterScalar, type ObjectType, type Operator, sortKeyCodePoints } from '@crm/domain';
import { fieldOfRelated, type FieldSql, related, type RelatedField } from './fields.js';
import type { Parameters } from './parameters.js';

/** The exact complement of a condition. `IS NOT TRUE` is also true for records without a value, unlike `NOT`. */
export const not = (sql: string): string => `(${sql}) IS NOT TRUE`;

/** Operators that are true for records without a value, with the operators that they negate. */
const complements: Readonly<Partial<Record<Operator, Operator>>> = {
  neq: 'eq',
  not_in: 'in',
  not_contains: 'contains',
  contains_none: 'in',
};

const comparisons = { gt: '>', gte: '>=', lt: '<', lte: '<=' } as const;

/** The values of a comparison as a list. */
const valuesOf = ({ value }: FilterLeaf): readonly FilterScalar[] =>
  value === null ? [] : typeof value === 'object' ? value : [value];

/** Converts an instant from the Unix milliseconds of a filter to the timestamp that PostgreSQL compares. */
const bindable = (value: FilterScalar, { type }: FieldSql): FilterScalar =>
  type === 'timestamptz' && typeof value === 'number' ? new Date(value).toISOString() : value;

const bind = (value: FilterScalar, field: FieldSql, parameters: Parameters): string =>
  `${parameters.add(bindable(value, field))}::${field.type}`;

/** Whether a value is short enough that only equal values have its sort key. */
const isWholeKey = (value: FilterScalar): boolean => Array.from(String(value)).length < sortKeyCodePoints;

/** Whether the sort key alone decides a comparison: no other value can have the same sort key as one of its values. */
export const isDecidedByKey = (leaf: FilterLeaf, { key, expression }: FieldSql): boolean =>
  key === expression || valuesOf(leaf).every(isWholeKey);

/**
 * Compares the sort key, which is indexed. Different long values can share a key, so a long value is compared as a whole too:
 * `r.text_1 = $2 AND (r.normalized->>$3) = $4`.
 */
const equals = (value: FilterScalar, field: FieldSql, parameters: Parameters): string => {
  const isWhole = (): string => `${field.expression} = ${bind(value, field, parameters)}`;
  if (field.key === field.expression || typeof value !== 'string') return isWhole();
  const key = Array.from(value).slice(0, sortKeyCodePoints).join('');
  const byKey = `${field.key} = ${bind(key, field, parameters)}`;
  return isWholeKey(value) ? byKey : `(${byKey} AND ${isWhole()})`;
};

/**
 * The most values of a list that are compared one after the other, as a reused plan compares the values of a parameter. A longer list is
 * joined from several and no index serves it, so a hashed subselect is faster. `IS TRUE` keeps the planner from joining its rows.
 */
const maxComparedValues = 200;

const isOneOf = (values: readonly FilterScalar[], field: FieldSql, parameters: Parameters): string => {
  const list = parameters.add(values.map((value) => bindable(value, field)));
  const compared = values.every(isWholeKey) ? field.key : field.expression;
  return values.length > maxComparedValues
    ? `(${compared} IN (SELECT unnest(${list}::${field.type}[]))) IS TRUE`
    : `${compared} = ANY (${list}::${field.type}[])`;
};

/**
 * A comparison of a field with at most one value. Range operators compare the sort key, because they apply only to numbers and
 * fixed-width texts, which are their own sort keys.
 */
const scalarComparison = (leaf: FilterLeaf, field: FieldSql, parameters: Parameters): string => {
  const { operator } = leaf;
  const values = valuesOf(leaf);
  const [low = '', high = ''] = values;
  const { expression } = field;
  switch (operator) {
    case 'eq':
      return equals(low, field, parameters);
    case 'in':
      return isOneOf(values, field, parameters);
    case 'contains':
      return `strpos(${expression}, ${bind(low, field, parameters)}) > 0`;
    case 'starts_with':
      return `starts_with(${expression}, ${bind(low, field, parameters)})`;
    case 'ends_with':
      return `right(${expression}, ${parameters.add(Array.from(String(low)).length)}::int) = ${bind(low, field, parameters)}`;
    case 'between':
      return `${field.key} BETWEEN ${bind(low, field, parameters)} AND ${bind(high, field, parameters)}`;
    case 'empty':
      return field.type === 'text' ? `(${expression} IS NULL OR ${expression} = '')` : `${expression} IS NULL`;
    case 'not_empty':
      return field.type === 'text' ? `${expression} <> ''` : `${expression} IS NOT NULL`;
    case 'gt':
    case 'gte':
    case 'lt':
    case 'lte':
      return `${field.key} ${comparisons[operator]} ${bind(low, field, parameters)}`;
    default:
      throw new Error(`The operator ${operator} does not fit a single value`);
  }
};

/** A comparison of a field with several values, which is stored as a jsonb array. */
const setComparison = (leaf: FilterLeaf, { expression: set }: FieldSql, parameters: Parameters): string => {
  const { operator } = leaf;
  const values = (): string => `${parameters.add(valuesOf(leaf))}::text[]`;
  switch (operator) {
    case 'eq': {
      const wanted = `${parameters.add(JSON.stringify(valuesOf(leaf)))}::jsonb`;
      return `(${set} @> ${wanted} AND ${set} <@ ${wanted})`;
    }
    case 'in':
      return `${set} ?| ${values()}`;
    case 'contains_all':
      return `${set} ?& ${values()}`;
    case 'empty':
      return not(`jsonb_array_length(${set}) > 0`);
    case 'not_empty':
      return `jsonb_array_length(${set}) > 0`;
    default:
      throw new Error(`The operator ${operator} does not fit several values`);
  }
};

/** A comparison of a field of the record itself. */
export const comparisonSql = (leaf: FilterLeaf, field: FieldSql, parameters: Parameters): string => {
  const complement = complements[leaf.operator];
  if (complement !== undefined) return not(comparisonSql({ ...leaf, operator: complement }, field, parameters));
  if (field.form === 'set') return setComparison(leaf, field, parameters);
  if (field.form === 'scalar') return scalarComparison(leaf, field, parameters);
  return `${field.expression} IS ${leaf.operator === 'empty' ? 'NULL' : 'NOT NULL'}`;
};

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

const parts: ReadonlySet<Operator> = new Set(['contains', 'starts_with', 'ends_with']);

/** Whether a comparison looks for a part of a text. */
export const isOfTextPart = ({ operator }: FilterLeaf): boolean => parts.has(operator) || operator === 'not_contains';

/** Whether the trigram index can find the texts that match a comparison. */
const isOfTrigrams = ({ operator, value }: FilterLeaf): boolean =>
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

/** The ids of the accounts or contacts that match all or any of some comparisons. */
export const relatedIdsSql = (
  leaves: readonly FilterLeaf[],
  field: RelatedField,
  parameters: Parameters,
  joint: ' OR ' | ' AND ' = ' AND ',
): string => {
  const matches = leaves.map((leaf) => {
    const condition = scalarComparison(leaf, fieldOfRelated(field), parameters);
    return field.isSearched && isOfTrigrams(leaf) ? withSearchText('x', leaf, parameters, condition) : condition;
  });
  const match = matches.length === 1 ? matches.join('') : `(${matches.join(joint)})`;
  return `SELECT x.id FROM ${field.table} x WHERE x.organization_id = $1 AND ${match}`;
};

/**
 * Compares a field of the record's account or primary contact. It looks up the ids of the matching accounts or contacts and compares
 * the record's own column with them: `r.account_id = ANY (ARRAY(SELECT x.id FROM accounts x …))`.
 */
export const relatedComparison = (leaf: FilterLeaf, field: RelatedField, parameters: Parameters): string => {
  const { table, key, value, isUnique } = field;
  // Null exactly if the record has no value of the related field. The value is never an empty text.
  const valueOrNull = isUnique ? `r.${key}` : related(table, value, key);
  if (leaf.operator === 'empty') return `${valueOrNull} IS NULL`;
  if (leaf.operator === 'not_empty') return `${valueOrNull} IS NOT NULL`;
  const complement = complements[leaf.operator];
  if (complement !== undefined) return not(relatedComparison({ ...leaf, operator: complement }, field, parameters));
  const ids = relatedIdsSql([leaf], field, parameters);
  // A natural key has at most one id. `=` instead of `= ANY` lets the planner know that.
  return leaf.operator === 'eq' && isUnique ? `r.${key} = (${ids})` : `r.${key} = ANY (ARRAY(${ids}))`;
};
