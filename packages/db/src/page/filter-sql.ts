import { type FilterLeaf, type FilterNode, matchesFilter } from '@crm/domain';
import { comparisonSql, isSearchedText, not, relatedComparison, withSearchText } from './comparison.js';
import { fieldSql, idsOfMatchingLabels, type LabelField, labelField, relatedField } from './fields.js';
import type { SqlScope } from './parameters.js';

const labelComparison = ({ parameters }: SqlScope, leaf: FilterLeaf, field: LabelField): string => {
  const isMatch = `r.${field.column} = ANY (${parameters.add(idsOfMatchingLabels(field, leaf))}::uuid[])`;
  return matchesFilter(leaf, () => null) ? `(${isMatch} OR r.${field.column} IS NULL)` : isMatch;
};

const leafSql = (scope: SqlScope, leaf: FilterLeaf): string => {
  const { setup, objectType, parameters } = scope;
  const byLabel = labelField(setup, leaf.field);
  if (byLabel !== null) return labelComparison(scope, leaf, byLabel);
  const related = relatedField(objectType, leaf);
  if (related !== null) return relatedComparison(leaf, related, parameters);
  const condition = comparisonSql(leaf, fieldSql(scope, leaf.field), parameters);
  return isSearchedText(objectType, leaf) ? withSearchText('r', leaf, parameters, condition) : condition;
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
      return `(${node.nodes.map((one) => filterSql(scope, one)).join(node.kind === 'or' ? ' OR ' : ' AND ')})`;
    case 'not':
      return not(filterSql(scope, node.node));
    default:
      return leafSql(scope, node);
  }
};

/** The parts of a filter that must all hold. */
export const conjuncts = (filters: FilterNode | null): readonly FilterNode[] =>
  filters === null ? [] : filters.kind === 'and' ? filters.nodes : [filters];
