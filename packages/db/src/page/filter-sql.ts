import {
  type FilterLeaf,
  type FilterNode,
  type FilterScalar,
  fold,
  matchesFilter,
  type ObjectType,
  sortKeyCodePoints,
} from '@crm/domain';
import type { Catalog } from '../catalog.js';
import { type FieldSql, fieldSql } from './field-sql.js';
import type { Parameters } from './parameters.js';

/** What a filter is turned into SQL for. */
export interface FilterScope {
  readonly catalog: Catalog;
  readonly objectType: ObjectType;
  readonly parameters: Parameters;
}

const comparisons = { gt: '>', gte: '>=', lt: '<', lte: '<=' } as const;

/** `IS NOT TRUE` turns "does not hold, or there is no value" into true: the exact complement. */
const not = (sql: string): string => `(${sql}) IS NOT TRUE`;

/** Instants travel as Unix milliseconds and are compared as timestamps. */
const bindable = (value: FilterScalar, field: FieldSql): FilterScalar =>
  field.type === 'timestamptz' && typeof value === 'number' ? new Date(value).toISOString() : value;

const bind = (value: FilterScalar, field: FieldSql, parameters: Parameters): string =>
  `${parameters.add(bindable(value, field))}::${field.type}`;

const bindList = (values: readonly FilterScalar[], field: FieldSql, parameters: Parameters): string =>
  `${parameters.add(values.map((value) => bindable(value, field)))}::${field.type}[]`;

/**
 * Where the sort key differs from the value it is the value's beginning, and the one that has an index: equal values have equal
 * keys, and keys shorter than the cut are the whole value.
 */
const equals = (value: FilterScalar, field: FieldSql, parameters: Parameters): string => {
  if (!field.isKeyCut || typeof value !== 'string') return `${field.expression} = ${bind(value, field, parameters)}`;
  const points = Array.from(value);
  const byKey = `${field.key} = ${bind(points.slice(0, sortKeyCodePoints).join(''), field, parameters)}`;
  return points.length < sortKeyCodePoints
    ? byKey
    : `(${byKey} AND ${field.expression} = ${bind(value, field, parameters)})`;
};

const isOneOf = (values: readonly FilterScalar[], field: FieldSql, parameters: Parameters): string => {
  const isShort = values.every((value) => Array.from(String(value)).length < sortKeyCodePoints);
  return `${isShort ? field.key : field.expression} = ANY (${bindList(values, field, parameters)})`;
};

const listOf = (value: FilterLeaf['value']): readonly FilterScalar[] =>
  value === null ? [] : typeof value === 'object' ? value : [value];

const scalarLeaf = ({ operator, value }: FilterLeaf, field: FieldSql, parameters: Parameters): string => {
  const values = listOf(value);
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
      return `${orderedBy(field)} BETWEEN ${bind(low, field, parameters)} AND ${bind(high, field, parameters)}`;
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
      return `${orderedBy(field)} ${comparisons[operator]} ${bind(low, field, parameters)}`;
    default:
      throw new Error(`The operator ${operator} does not fit a single value`);
  }
};

/** Only fixed-width texts are compared by order, and those are their own sort keys. */
const orderedBy = (field: FieldSql): string => field.key;

const setLeaf = ({ operator, value }: FilterLeaf, field: FieldSql, parameters: Parameters): string => {
  const set = field.expression;
  const values = listOf(value);
  switch (operator) {
    case 'eq': {
      const wanted = `${parameters.add(JSON.stringify(values))}::jsonb`;
      return `(${set} @> ${wanted} AND ${set} <@ ${wanted})`;
    }
    case 'in':
      return `${set} ?| ${parameters.add(values)}::text[]`;
    case 'contains_all':
      return `${set} ?& ${parameters.add(values)}::text[]`;
    case 'not_in':
    case 'contains_none':
      return not(`${set} ?| ${parameters.add(values)}::text[]`);
    case 'empty':
      return not(`jsonb_array_length(${set}) > 0`);
    case 'not_empty':
      return `jsonb_array_length(${set}) > 0`;
    default:
      throw new Error(`The operator ${operator} does not fit several values`);
  }
};

/** A field whose values the catalog holds: which ids match is decided here, and the ids have an index. */
const catalogLeaf = (
  scope: FilterScope,
  leaf: FilterLeaf,
  labels: ReadonlyMap<string, string>,
  column: string,
): string => {
  const matches = (label: string | null): boolean => matchesFilter(leaf, () => (label === null ? null : fold(label)));
  const ids = [...labels].filter(([, label]) => matches(label)).map(([id]) => id);
  const isMatch = `r.${column} = ANY (${scope.parameters.add(ids)}::uuid[])`;
  return matches(null) ? `(${isMatch} OR r.${column} IS NULL)` : isMatch;
};

const leafSql = (scope: FilterScope, leaf: FilterLeaf): string => {
  const { catalog, objectType, parameters } = scope;
  if (leaf.field.source === 'system') {
    const { name } = leaf.field.field;
    if (name === 'stage_name') return catalogLeaf(scope, leaf, catalog.stageLabels, 'stage_id');
    if (name === 'pipeline_name') return catalogLeaf(scope, leaf, catalog.pipelineNames, 'pipeline_id');
    if (name === 'owner_email') return catalogLeaf(scope, leaf, catalog.memberEmails, 'owner_id');
  }
  const field = fieldSql(catalog, objectType, leaf.field, parameters);
  if (field.form === 'set') return setLeaf(leaf, field, parameters);
  if (field.form === 'whole')
    return leaf.operator === 'empty' ? `${field.expression} IS NULL` : `${field.expression} IS NOT NULL`;
  return scalarLeaf(leaf, field, parameters);
};

/**
 * A filter as a condition on the record `r`: true exactly for the records that match it (false or null for the others).
 * Every value is a bind parameter.
 */
export const filterSql = (scope: FilterScope, node: FilterNode): string => {
  switch (node.kind) {
    case 'and':
    case 'or':
      return `(${node.nodes.map((child) => filterSql(scope, child)).join(node.kind === 'and' ? ' AND ' : ' OR ')})`;
    case 'not':
      return not(filterSql(scope, node.node));
    default:
      return leafSql(scope, node);
  }
};
