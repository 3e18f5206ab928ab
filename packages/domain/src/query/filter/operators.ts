import { attributeDescriptions } from '../../custom-field/attribute-types.js';
import type { FieldRef } from '../field-ref.js';
import type { SystemFieldKind } from '../../objects/field.js';
import { relationKinds } from '../system-fields.js';

/** The operators of filters, by the names that the tree uses. */
export const operators = [
  'eq',
  'neq',
  'contains',
  'not_contains',
  'starts_with',
  'ends_with',
  'in',
  'not_in',
  'gt',
  'gte',
  'lt',
  'lte',
  'between',
  'empty',
  'not_empty',
  'contains_all',
  'contains_none',
] as const;

/** One of {@link operators}. */
export type Operator = (typeof operators)[number];

/** Aliases that requests may use. */
export const operatorAliases: Readonly<Record<string, Operator>> = {
  is: 'eq',
  is_not: 'neq',
  contain: 'contains',
  not_contain: 'not_contains',
  is_any_of: 'in',
  greater_than: 'gt',
  less_than: 'lt',
  before: 'lt',
  after: 'gt',
  include_all: 'contains_all',
  exclude_all: 'contains_none',
};

const presence = ['empty', 'not_empty'] as const;
const equality = ['eq', 'neq', 'in', 'not_in'] as const;
/** The operators that compare whole values for equality. */
export const equalityOperators: readonly Operator[] = equality;
const text = [...equality, 'contains', 'not_contains', 'starts_with', 'ends_with', ...presence] as const;
const ordered = [...equality, 'gt', 'gte', 'lt', 'lte', 'between', ...presence] as const;
const exact = [...equality, ...presence] as const;
const several = ['eq', 'in', 'not_in', 'contains_all', 'contains_none', ...presence] as const;

/**
 * How the values of a field compare, which decides its operators and what values they take.
 * `instant` is Unix milliseconds, `timestamp` the same in a custom field, `datetime`, `date` and `time` fixed-width text,
 * `checkbox` 0 or 1 as its indexed column has it, `option` one exact value, `option_set` and `member_set` several;
 * `whole` is a date range or location named without a part; it takes only the operators `empty` and `not_empty`.
 */
const operatorsByKind = {
  text,
  email: text,
  domain: text,
  uuid: exact,
  number: ordered,
  boolean: exact,
  checkbox: exact,
  instant: ordered,
  timestamp: ordered,
  datetime: ordered,
  date: ordered,
  time: ordered,
  option: exact,
  option_set: several,
  member_set: several,
  whole: presence,
} satisfies Readonly<Record<string, readonly Operator[]>>;

/** How the values of a field compare. */
export type FilterKind = keyof typeof operatorsByKind;

const systemKinds: Readonly<Record<SystemFieldKind, FilterKind>> = {
  text: 'text',
  email: 'email',
  domain: 'domain',
  number: 'number',
  boolean: 'boolean',
  uuid: 'uuid',
  epoch_ms: 'instant',
  timestamp: 'instant',
  contact_list: 'whole',
  text_list: 'whole',
};

/** How the values of this field compare. */
export const filterKindOf = (ref: FieldRef): FilterKind => {
  if (ref.source === 'system') return systemKinds[ref.field.kind];
  if (ref.source === 'relation') return systemKinds[relationKinds[ref.name]];
  if (ref.part === undefined) return attributeDescriptions[ref.definition.attributeType].kind;
  if (ref.definition.attributeType === 'date_range') return 'date';
  return ref.part === 'lat' || ref.part === 'lng' ? 'number' : 'text';
};

/** The operators of fields of this kind. The parser, the documentation and the tests use this one table. */
export const operatorsFor = (kind: FilterKind): readonly Operator[] => operatorsByKind[kind];

const operatorsByName: ReadonlyMap<string, Operator> = new Map([
  ...operators.map((operator) => [operator, operator] as const),
  ...Object.entries(operatorAliases),
]);

/** The operator of that exact name or alias, or null. */
export const findOperator = (name: string): Operator | null => operatorsByName.get(name) ?? null;
