import { fieldKey, type FilterLeaf, type FilterNode, matchesFilter } from '@crm/domain';
import { idsOfMatchingLabels, type LabelField, labelField } from '../fields/label-field.js';
import { relatedField } from '../fields/related-field.js';
import { fieldSql } from '../fields/resolve-field.js';
import type { SqlScope } from '../parameters.js';
import { relatedComparison, relatedIdsOfSeveralSql } from './related-comparison.js';
import { not, scalarComparison } from './scalar-comparison.js';
import { setComparison } from './set-comparison.js';
import { isOfTextPart, isSearchedText, likePattern, partsToSearch, withSearchText } from './text-parts.js';

type Leaves = readonly [FilterLeaf, ...FilterLeaf[]];

const labelComparison = ({ parameters }: SqlScope, leaf: FilterLeaf, field: LabelField): string => {
  const isMatch = `r.${field.column} = ANY (${parameters.add(idsOfMatchingLabels(field, leaf))}::uuid[])`;
  return matchesFilter(leaf, () => null) ? `(${isMatch} OR r.${field.column} IS NULL)` : isMatch;
};

const leafSql = (scope: SqlScope, leaf: FilterLeaf): string => {
  const { setup, objectType, parameters } = scope;
  const byLabel = labelField(setup, leaf.field);
  if (byLabel !== null) return labelComparison(scope, leaf, byLabel);
  const related = relatedField(objectType, leaf);
  if (related !== null) return relatedComparison(scope, leaf, related);
  const field = fieldSql(scope, leaf.field);
  if (field.form === 'set') return setComparison(leaf, field, parameters);
  if (field.form === 'whole')
    return leaf.operator === 'empty' ? `${field.expression} IS NULL` : `${field.expression} IS NOT NULL`;
  const condition = scalarComparison(leaf, field, parameters);
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
    const ids = relatedIdsOfSeveralSql(scope, positive, related, isAny ? ' OR ' : ' AND ');
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
