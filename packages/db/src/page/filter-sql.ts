import {
  fieldKey,
  type FieldRef,
  type FilterLeaf,
  type FilterNode,
  type FilterScalar,
  normalizeForSearch,
  matchesFilter,
  type ObjectType,
  type Operator,
  sortKeyCodePoints,
} from '@crm/domain';
import type { Catalog } from '../catalog.js';
import { type FieldSql, fieldSql } from './field-sql.js';
import { relatedField, type RelatedField } from './related-field.js';
import type { Parameters } from './parameters.js';
import { isOfTextPart, isOfTrigrams, isSearchedText, likePattern, partsToSearch, wordSql } from './text-parts.js';

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

/** Whether a value is its own sort key, being shorter than what the key is cut to. */
const isWholeKey = (value: FilterScalar): boolean => Array.from(String(value)).length < sortKeyCodePoints;

/** Whether an index on the key tells equal values alone. */
export const isOfWholeKeys = ({ operator, value }: FilterLeaf, { isKeyCut }: FieldSql): boolean =>
  !isKeyCut || operator === 'eq' || listOf(value).every(isWholeKey);

const isOneOf = (values: readonly FilterScalar[], field: FieldSql, parameters: Parameters): string => {
  return `${values.every(isWholeKey) ? field.key : field.expression} = ANY (${bindList(values, field, parameters)})`;
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

/** A field whose values the catalog holds, by the id in a column of the record. */
export interface CatalogField {
  readonly column: 'stage_id' | 'pipeline_id' | 'owner_id';
  readonly labels: ReadonlyMap<string, string>;
}

/** The catalog's values of a field, or null when it has none of them. */
export const catalogField = (catalog: Catalog, ref: FieldRef): CatalogField | null => {
  if (ref.source !== 'system') return null;
  switch (ref.field.name) {
    case 'stage_name':
      return { column: 'stage_id', labels: catalog.stageLabels };
    case 'pipeline_name':
      return { column: 'pipeline_id', labels: catalog.pipelineNames };
    case 'owner_email':
      return { column: 'owner_id', labels: catalog.memberEmails };
    default:
      return null;
  }
};

/** The ids whose value in the catalog matches: it is decided here, and the ids have an index. */
export const matchingCatalogIds = ({ labels }: CatalogField, leaf: FilterLeaf): readonly string[] =>
  [...labels].filter(([, label]) => matchesFilter(leaf, () => normalizeForSearch(label))).map(([id]) => id);

const catalogLeaf = ({ parameters }: FilterScope, leaf: FilterLeaf, field: CatalogField): string => {
  const isMatch = `r.${field.column} = ANY (${parameters.add(matchingCatalogIds(field, leaf))}::uuid[])`;
  return matchesFilter(leaf, () => null) ? `(${isMatch} OR r.${field.column} IS NULL)` : isMatch;
};

/** Operators that hold for records without a value: the complements of these. */
const complements: Readonly<Partial<Record<Operator, Operator>>> = {
  neq: 'eq',
  not_in: 'in',
  not_contains: 'contains',
};

/** What is null exactly where a record has nothing of a related field: it is never the empty text. */
const relatedPresence = ({ table, key, field }: RelatedField): string =>
  field.nullable
    ? `(SELECT ${field.expression} FROM ${table} x WHERE x.organization_id = r.organization_id AND x.id = r.${key})`
    : `r.${key}`;

/** A part of a text is a part of `search_text` too, whose index finds it. */
const withSearch = (alias: 'r' | 'x', leaf: FilterLeaf, { parameters }: FilterScope, sql: string): string =>
  typeof leaf.value === 'string' ? `(${wordSql(alias, leaf.value, parameters)} AND ${sql})` : sql;

const idsSql = (table: string, matches: string): string =>
  `SELECT x.id FROM ${table} x WHERE x.organization_id = $1 AND ${matches}`;

const relatedMatch = (scope: FilterScope, leaf: FilterLeaf, field: FieldSql): string => {
  const condition = scalarLeaf(leaf, field, scope.parameters);
  return isOfTrigrams(leaf) ? withSearch('x', leaf, scope, condition) : condition;
};

/** The ids of the accounts or contacts that match a comparison. */
export const relatedIdsSql = (scope: FilterScope, leaf: FilterLeaf, { table, field }: RelatedField): string =>
  idsSql(table, relatedMatch(scope, leaf, field));

/** A field of the record's account or primary contact: the few that match are looked up first, and their ids have an index. */
const relatedLeaf = (scope: FilterScope, leaf: FilterLeaf, related: RelatedField): string => {
  const { key, field } = related;
  if (leaf.operator === 'empty') return `${relatedPresence(related)} IS NULL`;
  if (leaf.operator === 'not_empty') return `${relatedPresence(related)} IS NOT NULL`;
  const complement = complements[leaf.operator];
  if (complement !== undefined) return not(relatedLeaf(scope, { ...leaf, operator: complement }, related));
  const matching = relatedIdsSql(scope, leaf, related);
  // One value of a natural key has one record at most, which the planner then knows.
  return leaf.operator === 'eq' && field.isUnique ? `r.${key} = (${matching})` : `r.${key} = ANY (ARRAY(${matching}))`;
};

const leafSql = (scope: FilterScope, leaf: FilterLeaf): string => {
  const { catalog, objectType, parameters } = scope;
  const fromCatalog = catalogField(catalog, leaf.field);
  if (fromCatalog !== null) return catalogLeaf(scope, leaf, fromCatalog);
  const related = relatedField(objectType, leaf);
  if (related !== null) return relatedLeaf(scope, leaf, related);
  const field = fieldSql(catalog, objectType, leaf.field, parameters);
  if (field.form === 'set') return setLeaf(leaf, field, parameters);
  if (field.form === 'whole')
    return leaf.operator === 'empty' ? `${field.expression} IS NULL` : `${field.expression} IS NOT NULL`;
  const condition = scalarLeaf(leaf, field, parameters);
  return isSearchedText(objectType, leaf) ? withSearch('r', leaf, scope, condition) : condition;
};

/**
 * Several comparisons with parts of one text as one condition: taking the text out of a record, or passing through its related
 * records, costs more than looking for one part more. That none of the parts is there is told as "not any", and "not all" likewise.
 */
const textPartsSql = (
  scope: FilterScope,
  kind: 'and' | 'or',
  leaves: readonly [FilterLeaf, ...FilterLeaf[]],
): string => {
  const [first] = leaves;
  const isNegated = first.operator === 'not_contains';
  const isAny = (kind === 'or') !== isNegated;
  const related = relatedField(scope.objectType, first);
  if (related !== null) {
    const { table, key, field } = related;
    const matches = leaves.map((leaf) =>
      relatedMatch(scope, isNegated ? { ...leaf, operator: 'contains' } : leaf, field),
    );
    const sql = `r.${key} = ANY (ARRAY(${idsSql(table, `(${matches.join(isAny ? ' OR ' : ' AND ')})`)}))`;
    return isNegated ? not(sql) : sql;
  }
  const { expression } = fieldSql(scope.catalog, scope.objectType, first.field, scope.parameters);
  const patterns = scope.parameters.add(leaves.map(likePattern));
  const sql = `${expression} LIKE ${isAny ? 'ANY' : 'ALL'} (${patterns}::text[])`;
  return isNegated ? not(sql) : `(${sql})`;
};

/** Whether a comparison is with a part of a text that is in no catalog, whose labels are compared before. */
const isOfReadText = ({ catalog }: FilterScope, node: FilterNode): node is FilterLeaf & { readonly kind: 'leaf' } =>
  node.kind === 'leaf' && isOfTextPart(node) && catalogField(catalog, node.field) === null;

/** What must hold all together or of which one must hold, as SQL. */
const listSql = (scope: FilterScope, kind: 'and' | 'or', nodes: readonly FilterNode[]): string => {
  const indexed = nodes.filter(
    (node): node is FilterLeaf => node.kind === 'leaf' && isSearchedText(scope.objectType, node),
  );
  const toSearch = partsToSearch(indexed);
  // Of alternatives an index finds all or none.
  const searched = new Set<FilterNode>(kind === 'and' || toSearch.length === nodes.length ? toSearch : []);
  const byText = new Map<string, [FilterLeaf, ...FilterLeaf[]]>();
  const others: FilterNode[] = [];
  for (const node of nodes) {
    if (!isOfReadText(scope, node) || searched.has(node)) {
      others.push(node);
      continue;
    }
    const key = `${String(node.operator === 'not_contains')} ${fieldKey(node.field)}`;
    const known = byText.get(key);
    if (known === undefined) byText.set(key, [node]);
    else known.push(node);
  }
  // What few records hold decides first.
  const isNegated = ([{ operator }]: readonly [FilterLeaf, ...FilterLeaf[]]): number =>
    Number(operator === 'not_contains');
  const ofTexts = [...byText.values()]
    .sort((one, other) => isNegated(one) - isNegated(other))
    .map((leaves) => (leaves.length === 1 ? leafSql(scope, leaves[0]) : textPartsSql(scope, kind, leaves)));
  return `(${[...others.map((node) => filterSql(scope, node)), ...ofTexts].join(kind === 'or' ? ' OR ' : ' AND ')})`;
};

/**
 * A filter as a condition on the record `r`: true exactly for the records that match it (false or null for the others).
 * Every value is a bind parameter.
 */
export const filterSql = (scope: FilterScope, node: FilterNode): string => {
  switch (node.kind) {
    case 'and':
    case 'or':
      return listSql(scope, node.kind, node.nodes);
    case 'not':
      return not(filterSql(scope, node.node));
    default:
      return leafSql(scope, node);
  }
};
