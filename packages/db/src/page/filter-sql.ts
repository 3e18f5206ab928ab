import {
  comparisonKind,
  fieldKey,
  type FilterLeaf,
  type FilterNode,
  type FilterScalar,
  hasSeveralLinks,
  matchesFilter,
} from '@crm/domain';
import {
  comparisonSql,
  isOfTextPart,
  isSearchedText,
  likePattern,
  not,
  partsToSearch,
  relatedComparison,
  relatedIdsSql,
  withSearchText,
} from './comparison.js';
import { fieldSql, idsOfMatchingLabels, type LabelField, labelField, relatedField } from './fields.js';
import { ofContactSql } from './of-contact.js';
import type { SqlScope } from './parameters.js';

type List = FilterLeaf & { readonly value: readonly FilterScalar[] };
type Join = (one: readonly FilterScalar[], other: readonly FilterScalar[]) => readonly FilterScalar[];

const union: Join = (one, other) => [...new Set([...one, ...other])];
const intersection: Join = (one, other) => one.filter((value) => other.includes(value));

const isSet = ({ field }: FilterLeaf): boolean =>
  hasSeveralLinks(field) ||
  (field.source === 'custom' && field.part === undefined && comparisonKind(field.definition.attributeType) === 'set');

/** How to combine two lists of one field; null if impossible. A field with several values can match two disjoint lists. */
const joinOf = (kind: 'and' | 'or', node: FilterNode): Join | null => {
  if (node.kind !== 'leaf' || !Array.isArray(node.value)) return null;
  if (node.operator !== 'in' && node.operator !== 'not_in') return null;
  const isUnion = (node.operator === 'in') === (kind === 'or');
  if (isUnion) return union;
  return isSet(node) ? null : intersection;
};

const joinNodes = (kind: 'and' | 'or', nodes: readonly FilterNode[]): FilterNode[] => {
  const joined = new Map<string, FilterNode>();
  nodes.forEach((node, index) => {
    const join = joinOf(kind, node);
    if (join === null) {
      joined.set(`#${index}`, node);
      return;
    }
    const list = node as List;
    const key = `${list.operator} ${fieldKey(list.field)}`;
    const first = joined.get(key) as List | undefined;
    joined.set(key, first === undefined ? list : { ...first, value: join(first.value, list.value) });
  });
  return [...joined.values()];
};

/**
 * Joins lists of values for the same field, so that each record is compared with one list instead of many. Fifty lists of 200 values
 * in two fields took more than 5 s on 200,000 opportunities, and the joined lists take 0.9 s on a busy machine.
 *
 * `or: [{stage in [1, 2]}, {stage in [2, 3]}]` → `{stage in [1, 2, 3]}`
 * `and: [{stage in [1, 2]}, {stage in [2, 3]}]` → `{stage in [2]}`
 *
 * @returns a filter that matches the same records
 */
export const joinLists = (node: FilterNode): FilterNode => {
  if (node.kind === 'leaf') return node;
  if (node.kind === 'not') return { ...node, node: joinLists(node.node) };
  const nodes = joinNodes(node.kind, node.nodes.map(joinLists));
  const [only] = nodes;
  return only !== undefined && nodes.length === 1 ? only : { ...node, nodes };
};

type Leaves = readonly [FilterLeaf, ...FilterLeaf[]];

const labelComparison = ({ parameters }: SqlScope, leaf: FilterLeaf, field: LabelField): string => {
  const isMatch = `r.${field.column} = ANY (${parameters.add(idsOfMatchingLabels(field, leaf))}::uuid[])`;
  return matchesFilter(leaf, () => null) ? `(${isMatch} OR r.${field.column} IS NULL)` : isMatch;
};

const leafSql = (scope: SqlScope, leaf: FilterLeaf): string => {
  const { setup, objectType, parameters } = scope;
  if (hasSeveralLinks(leaf.field)) return ofContactSql(leaf, parameters);
  const byLabel = labelField(setup, leaf.field);
  if (byLabel !== null) return labelComparison(scope, leaf, byLabel);
  const related = relatedField(objectType, leaf);
  if (related !== null) return relatedComparison(leaf, related, parameters);
  const condition = comparisonSql(leaf, fieldSql(scope, leaf.field), parameters);
  return isSearchedText(objectType, leaf) ? withSearchText('r', leaf, parameters, condition) : condition;
};

/**
 * Combines several comparisons with parts of the same text, because extracting the text from a record costs more than searching it for
 * another part:
 *
 * - `contains`, `starts_with`, `ends_with` joined by `or` → `(… LIKE ANY ($2::text[]))`, by `and` → `(… LIKE ALL ($2::text[]))`
 * - `not_contains` joined by `and` → `(… LIKE ANY ($2::text[])) IS NOT TRUE`, by `or` → `(… LIKE ALL ($2::text[])) IS NOT TRUE`
 */
const textPartsSql = (scope: SqlScope, kind: 'and' | 'or', leaves: Leaves): string => {
  const [first] = leaves;
  const isNegated = first.operator === 'not_contains';
  const isAny = (kind === 'or') !== isNegated;
  const related = relatedField(scope.objectType, first);
  if (related !== null) {
    const positive = leaves.map((leaf): FilterLeaf => (isNegated ? { ...leaf, operator: 'contains' } : leaf));
    const ids = relatedIdsSql(positive, related, scope.parameters, isAny ? ' OR ' : ' AND ');
    const sql = `r.${related.key} = ANY (ARRAY(${ids}))`;
    return isNegated ? not(sql) : sql;
  }
  const { expression } = fieldSql(scope, first.field);
  const patterns = scope.parameters.add(leaves.map(likePattern));
  const sql = `${expression} LIKE ${isAny ? 'ANY' : 'ALL'} (${patterns}::text[])`;
  return isNegated ? not(sql) : `(${sql})`;
};

/** Whether a node compares a part of a text in PostgreSQL. Labels are compared in TypeScript. */
const isOfStoredText = ({ setup }: SqlScope, node: FilterNode): node is FilterLeaf =>
  node.kind === 'leaf' && isOfTextPart(node) && labelField(setup, node.field) === null;

const isSearchedLeaf = ({ objectType }: SqlScope, node: FilterNode): node is FilterLeaf =>
  node.kind === 'leaf' && isSearchedText(objectType, node);

/** Comparisons with parts of texts, grouped by text. `contains` comes before `not_contains`, because it excludes more records. */
const groupByText = (leaves: readonly FilterLeaf[]): readonly Leaves[] => {
  const groups = new Map<string, [FilterLeaf, ...FilterLeaf[]]>();
  for (const leaf of leaves) {
    const key = `${String(leaf.operator === 'not_contains')} ${fieldKey(leaf.field)}`;
    const group = groups.get(key);
    if (group === undefined) groups.set(key, [leaf]);
    else group.push(leaf);
  }
  const isNegated = ([{ operator }]: Leaves): number => Number(operator === 'not_contains');
  return [...groups.values()].sort((one, other) => isNegated(one) - isNegated(other));
};

/** The SQL for the nodes of an `and` or `or`. */
const listSql = (scope: SqlScope, kind: 'and' | 'or', nodes: readonly FilterNode[]): string => {
  const toSearch = partsToSearch(nodes.filter((node) => isSearchedLeaf(scope, node)));
  // An index serves an `or` only if it serves each of its nodes.
  const searched = new Set<FilterNode>(kind === 'and' || toSearch.length === nodes.length ? toSearch : []);
  const isGrouped = (node: FilterNode): node is FilterLeaf => isOfStoredText(scope, node) && !searched.has(node);
  const others = nodes.filter((node) => !isGrouped(node)).map((node) => filterSql(scope, node));
  const texts = groupByText(nodes.filter(isGrouped)).map((leaves) =>
    leaves.length === 1 ? leafSql(scope, leaves[0]) : textPartsSql(scope, kind, leaves),
  );
  return `(${[...others, ...texts].join(kind === 'or' ? ' OR ' : ' AND ')})`;
};

/**
 * A filter as a condition on the record `r`. It is true for matching records, and false or null for all others. Every value is a bind
 * parameter.
 *
 * `{and: [{amount gt 5}, {stage_name eq "Won"}]}` → `(r.amount > $2::numeric AND r.stage_id = ANY ($3::uuid[]))`
 */
export const filterSql = (scope: SqlScope, node: FilterNode): string => {
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

/** The parts of a filter that must all hold. */
export const conjuncts = (filters: FilterNode | null): readonly FilterNode[] =>
  filters === null ? [] : filters.kind === 'and' ? filters.nodes : [filters];
