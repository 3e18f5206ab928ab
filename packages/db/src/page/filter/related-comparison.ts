import type { FilterLeaf, Operator } from '@crm/domain';
import type { RelatedField } from '../fields/related-field.js';
import type { SqlScope } from '../parameters.js';
import { not, scalarComparison } from './scalar-comparison.js';
import { isOfTrigrams, withSearchText } from './text-parts.js';

/** Operators that are true for records without a value, with the operators that they negate. */
const complements: Readonly<Partial<Record<Operator, Operator>>> = {
  neq: 'eq',
  not_in: 'in',
  not_contains: 'contains',
};

/** An expression that is null exactly if the record has no value of the related field. The value is never an empty text. */
const valueOrNull = ({ table, key, field }: RelatedField): string =>
  field.nullable
    ? `(SELECT ${field.expression} FROM ${table} x WHERE x.organization_id = $1 AND x.id = r.${key})`
    : `r.${key}`;

/** A comparison as a condition on the account or contact `x`. */
const matchSql = (scope: SqlScope, leaf: FilterLeaf, { field }: RelatedField): string => {
  const condition = scalarComparison(leaf, field, scope.parameters);
  return isOfTrigrams(leaf) ? withSearchText('x', leaf, scope.parameters, condition) : condition;
};

const idsSql = (table: string, match: string): string =>
  `SELECT x.id FROM ${table} x WHERE x.organization_id = $1 AND ${match}`;

/** The ids of the accounts or contacts that match a comparison. */
export const relatedIdsSql = (scope: SqlScope, leaf: FilterLeaf, related: RelatedField): string =>
  idsSql(related.table, matchSql(scope, leaf, related));

/** The ids of the accounts or contacts that match any or all of several comparisons. */
export const relatedIdsOfSeveralSql = (
  scope: SqlScope,
  leaves: readonly FilterLeaf[],
  related: RelatedField,
  joint: ' OR ' | ' AND ',
): string => idsSql(related.table, `(${leaves.map((leaf) => matchSql(scope, leaf, related)).join(joint)})`);

/**
 * Compares a field of the record's account or primary contact. It looks up the ids of the matching accounts or contacts and compares
 * the record's own column with them: `r.account_id = ANY (ARRAY(SELECT x.id FROM accounts x …))`.
 */
export const relatedComparison = (scope: SqlScope, leaf: FilterLeaf, related: RelatedField): string => {
  const { key, field } = related;
  if (leaf.operator === 'empty') return `${valueOrNull(related)} IS NULL`;
  if (leaf.operator === 'not_empty') return `${valueOrNull(related)} IS NOT NULL`;
  const complement = complements[leaf.operator];
  if (complement !== undefined) return not(relatedComparison(scope, { ...leaf, operator: complement }, related));
  const ids = relatedIdsSql(scope, leaf, related);
  // A natural key has at most one id. `=` instead of `= ANY` lets the planner know that.
  return leaf.operator === 'eq' && field.isUnique ? `r.${key} = (${ids})` : `r.${key} = ANY (ARRAY(${ids}))`;
};
