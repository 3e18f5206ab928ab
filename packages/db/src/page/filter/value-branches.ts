import { type FilterLeaf, type FilterScalar, matchesFilter, type SortDirection } from '@crm/domain';
import { idsOfMatchingLabels, labelField } from '../fields/label-field.js';
import { fieldSql } from '../fields/resolve-field.js';
import { maxBranches, type PageRequest } from '../page-request.js';
import { Parameters } from '../parameters.js';
import type { Branches } from '../plans/branches.js';
import { isDecidedByKey } from './scalar-comparison.js';

/** Branches by the values of one expression. */
export interface ValueBranches extends Branches {
  readonly expression: string;
  /** Like {@link Branches.from}, with the values sorted. */
  ordered(parameters: Parameters, direction: SortDirection): string;
  /** A separate condition for each branch. */
  each(parameters: Parameters): readonly string[];
}

const branchesOf = (expression: string, type: string, values: readonly FilterScalar[]): ValueBranches | null =>
  values.length > maxBranches
    ? null
    : {
        expression,
        condition: `${expression} = by_value.value`,
        from: (parameters) => `unnest(${parameters.add(values)}::${type}[]) AS by_value (value)`,
        ordered: (parameters, direction) => {
          const value = `v.value${type === 'text' ? ' COLLATE "C"' : ''}`;
          return `(SELECT ${value} AS value FROM unnest(${parameters.add(values)}::${type}[]) AS v (value) ORDER BY ${value} ${direction}) AS by_value`;
        },
        count: values.length,
        each: (parameters) => values.map((value) => `${expression} = ${parameters.add(value)}::${type}`),
      };

/** One branch for each value that a comparison allows. Returns null if no index serves them. */
export const valueBranches = ({ setup, objectType }: PageRequest, leaf: FilterLeaf): ValueBranches | null => {
  const byLabel = labelField(setup, leaf.field);
  if (byLabel !== null) {
    // Any comparison of a label becomes a list of ids. If it also matches records without an id, no branch would contain those.
    const holdsForNone = matchesFilter(leaf, () => null);
    return holdsForNone ? null : branchesOf(`r.${byLabel.column}`, 'uuid', idsOfMatchingLabels(byLabel, leaf));
  }
  if (leaf.operator !== 'in' || !Array.isArray(leaf.value)) return null;
  // The key of an indexed field is a column without parameters. Parameters of other fields are discarded.
  const field = fieldSql({ setup, objectType, parameters: new Parameters() }, leaf.field);
  const isReadable = field.form === 'scalar' && field.isIndexed && isDecidedByKey(leaf, field);
  return isReadable && field.type !== 'timestamptz' ? branchesOf(field.key, field.type, leaf.value) : null;
};
