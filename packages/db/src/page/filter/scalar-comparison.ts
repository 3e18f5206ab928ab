import { type FilterLeaf, type FilterScalar, sortKeyCodePoints } from '@crm/domain';
import type { FieldSql } from '../fields/field-sql.js';
import type { Parameters } from '../parameters.js';

const comparisons = { gt: '>', gte: '>=', lt: '<', lte: '<=' } as const;

/** The exact complement of a condition. `IS NOT TRUE` is also true for records without a value, unlike `NOT`. */
export const not = (sql: string): string => `(${sql}) IS NOT TRUE`;

/** The values of a comparison as a list. */
export const valuesOf = ({ value }: FilterLeaf): readonly FilterScalar[] =>
  value === null ? [] : typeof value === 'object' ? value : [value];

/** Converts an instant from the Unix milliseconds of a filter to the timestamp that PostgreSQL compares. */
const bindable = (value: FilterScalar, field: FieldSql): FilterScalar =>
  field.type === 'timestamptz' && typeof value === 'number' ? new Date(value).toISOString() : value;

const bind = (value: FilterScalar, field: FieldSql, parameters: Parameters): string =>
  `${parameters.add(bindable(value, field))}::${field.type}`;

const bindList = (values: readonly FilterScalar[], field: FieldSql, parameters: Parameters): string =>
  `${parameters.add(values.map((value) => bindable(value, field)))}::${field.type}[]`;

/** Whether a value is short enough that only equal values have its sort key. */
const isWholeKey = (value: FilterScalar): boolean => Array.from(String(value)).length < sortKeyCodePoints;

/** Whether the sort key alone decides a comparison: no other value can have the same sort key as one of its values. */
export const isDecidedByKey = (leaf: FilterLeaf, { isKeyCut }: FieldSql): boolean =>
  !isKeyCut || valuesOf(leaf).every(isWholeKey);

/**
 * Compares the sort key, which is indexed. Different long values can share a key, so a long value is compared as a whole too:
 * `r.text_1 = $2 AND (r.normalized->>$3) = $4`.
 */
const equals = (value: FilterScalar, field: FieldSql, parameters: Parameters): string => {
  if (!field.isKeyCut || typeof value !== 'string') return `${field.expression} = ${bind(value, field, parameters)}`;
  const key = Array.from(value).slice(0, sortKeyCodePoints).join('');
  const byKey = `${field.key} = ${bind(key, field, parameters)}`;
  return isWholeKey(value) ? byKey : `(${byKey} AND ${field.expression} = ${bind(value, field, parameters)})`;
};

const isOneOf = (values: readonly FilterScalar[], field: FieldSql, parameters: Parameters): string =>
  `${values.every(isWholeKey) ? field.key : field.expression} = ANY (${bindList(values, field, parameters)})`;

/**
 * A comparison of a field with at most one value. Range operators compare the sort key, because they apply only to numbers and
 * fixed-width texts, which are their own sort keys.
 */
export const scalarComparison = (leaf: FilterLeaf, field: FieldSql, parameters: Parameters): string => {
  const { operator } = leaf;
  const values = valuesOf(leaf);
  const [low = '', high = ''] = values;
  switch (operator) {
    case 'eq':
      return equals(low, field, parameters);
    case 'neq':
      return not(equals(low, field, parameters));
    case 'in':
      return isOneOf(values, field, parameters);
    case 'not_in':
      return not(isOneOf(values, field, parameters));
    case 'contains':
      return `strpos(${field.expression}, ${bind(low, field, parameters)}) > 0`;
    case 'not_contains':
      return not(`strpos(${field.expression}, ${bind(low, field, parameters)}) > 0`);
    case 'starts_with':
      return `starts_with(${field.expression}, ${bind(low, field, parameters)})`;
    case 'ends_with':
      return `right(${field.expression}, ${parameters.add(Array.from(String(low)).length)}::int) = ${bind(low, field, parameters)}`;
    case 'between':
      return `${field.key} BETWEEN ${bind(low, field, parameters)} AND ${bind(high, field, parameters)}`;
    case 'empty':
      return field.type === 'text'
        ? `(${field.expression} IS NULL OR ${field.expression} = '')`
        : `${field.expression} IS NULL`;
    case 'not_empty':
      return field.type === 'text' ? `${field.expression} <> ''` : `${field.expression} IS NOT NULL`;
    case 'gt':
    case 'gte':
    case 'lt':
    case 'lte':
      return `${field.key} ${comparisons[operator]} ${bind(low, field, parameters)}`;
    default:
      throw new Error(`The operator ${operator} does not fit a single value`);
  }
};
