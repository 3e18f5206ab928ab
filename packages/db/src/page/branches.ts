import { type FilterLeaf, type FilterNode, type FilterScalar, matchesFilter, type SortDirection } from '@crm/domain';
import type { Catalog } from '../catalog.js';
import type { Bound } from './bound.js';
import { fieldSql } from './field-sql.js';
import { catalogField, type FilterScope, isOfWholeKeys, matchingCatalogIds } from './filter-sql.js';
import type { PageRequest } from './page-request.js';
import { Parameters } from './parameters.js';
import { type KeySql, orderBySql } from './sort-sql.js';

/**
 * A condition that a record's column equals one of a few values. Read value by value, each from its own place in an index that
 * goes on in the order wanted, the parts are merged at the cost of a page each; read at once, everything would be sorted.
 */
export interface Branches {
  /** What `r` must equal, and the alias under which the value comes. */
  readonly condition: string;
  /** The values as an item of FROM; bound when asked for, since branches that are too many are given up. */
  from(parameters: Parameters): string;
  readonly count: number;
  /** The condition of each branch by itself, where they are known beforehand. */
  readonly each?: (parameters: Parameters) => readonly string[];
}

/** Branches by the values of one expression. */
export interface ValueBranches extends Branches {
  readonly expression: string;
  /** As {@link Branches.from}, the values in their own order. */
  ordered(parameters: Parameters, direction: SortDirection): string;
}

/** The most parts that one statement merges. */
const maxBranches = 200;

/** The organization's pipelines as the statement itself sees them: a kept catalog may not know the newest one yet. */
export const pipelineIdsSql = 'SELECT p.id FROM pipelines p WHERE p.organization_id = $1';

/** One branch for each pipeline, for a read that names none: their indexes start with it. */
const pipelineBranches = ({ pipelines: { length: count } }: Catalog): Branches | null =>
  count === 0 || count > maxBranches
    ? null
    : {
        condition: 'r.pipeline_id = by_pipeline.value',
        from: () => `(${pipelineIdsSql}) AS by_pipeline (value)`,
        count,
      };

/** The branches of a read of opportunities that names no pipeline; none for others, and where pipelines are too many. */
export const byPipeline = ({ catalog, objectType, pipelineId }: PageRequest): Branches[] => {
  const branches = pipelineId === null && objectType === 'opportunity' ? pipelineBranches(catalog) : null;
  return branches === null ? [] : [branches];
};

/** Rows of branches, each of which is read in order up to a bound. */
export const mergedSql = (
  table: string,
  where: readonly string[],
  branches: readonly Branches[],
  order: string,
  bound: Bound,
  parameters: Parameters,
): string => {
  const all = [...where, ...branches.map(({ condition }) => condition)].join(' AND ');
  const ordered = `LATERAL (${bound(`SELECT r.* FROM ${table} r WHERE ${all} ORDER BY ${order}`)}) r`;
  return [...branches.map((branch) => branch.from(parameters)), ordered].join(' CROSS JOIN ');
};

/** So few branches are merged record by record. Each is planned by itself, which for more takes longer than what is spared. */
const maxStreams = 4;

/** How to read branches: from which table, under which conditions, in which order, and how many of each. */
interface Reading {
  readonly table: string;
  readonly where: readonly string[];
  readonly keys: readonly KeySql[];
  readonly bound: Bound;
}

/**
 * As {@link mergedSql} for one column's values, where no more of a branch is read than the page takes of it: branches in the order
 * of the column itself come one behind the other, and few others are each a statement of its own, which the server merges.
 * Null where neither is so.
 */
export const streamedSql = (
  { table, where, keys, bound }: Reading,
  branches: ValueBranches,
  parameters: Parameters,
): string | null => {
  const { expression, condition } = branches;
  const order = orderBySql(keys);
  const read = (its: string): string =>
    `(${bound(`SELECT r.* FROM ${table} r WHERE ${[...where, its].join(' AND ')} ORDER BY ${order}`)})`;
  const [first] = keys;
  // Said again outside, the condition tells the server that this order is the one wanted.
  if (first?.expression === expression)
    return `${branches.ordered(parameters, first.direction)} CROSS JOIN LATERAL ${read(condition)} r WHERE ${condition}`;
  const each = branches.count > maxStreams ? [] : (branches.each?.(parameters) ?? []);
  return each.length === 0 ? null : `(${each.map(read).join(' UNION ALL ')}) r`;
};

/** Columns that have an index which goes on by the last change too. */
const changedBehind = /^r\.(?:(?:text|number)_[1-8]|stage_id|owner_id|pipeline_id)$/;

/**
 * Behind one value of a field its index goes on by creation, and for some another by the last change; values one after the other
 * are the order of the field itself.
 */
export const isOrderBehind = (expression: string, isOneValue: boolean, [first]: readonly KeySql[]): boolean =>
  first?.expression === expression ||
  (isOneValue &&
    (first?.expression === 'r.created_at' || (first?.expression === 'r.updated_at' && changedBehind.test(expression))));

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

/** Branches for the values that one comparison allows, each of which an index leads to; null for other comparisons. */
export const valueBranches = ({ catalog, objectType }: FilterScope, leaf: FilterLeaf): ValueBranches | null => {
  const fromCatalog = catalogField(catalog, leaf.field);
  if (fromCatalog !== null) {
    // Whatever is asked of a label, ids are what is read; but a record without one is in no branch.
    const holdsForNone = matchesFilter(leaf, () => null);
    return holdsForNone ? null : branchesOf(`r.${fromCatalog.column}`, 'uuid', matchingCatalogIds(fromCatalog, leaf));
  }
  if (leaf.operator !== 'in' || !Array.isArray(leaf.value)) return null;
  // The key of a field with an index is a column and binds nothing; what other fields bind is not wanted here.
  const field = fieldSql(catalog, objectType, leaf.field, new Parameters());
  const isReadable = field.form === 'scalar' && field.isIndexed && isOfWholeKeys(leaf, field);
  return isReadable && field.type !== 'timestamptz' ? branchesOf(field.key, field.type, leaf.value) : null;
};

/** The parts of a filter that must all hold. */
export const conjuncts = (filters: FilterNode | null): readonly FilterNode[] =>
  filters === null ? [] : filters.kind === 'and' ? filters.nodes : [filters];

/**
 * Takes one condition out of a filter that can be read value by value.
 * @returns the branches and what is left of the filter, or null when the filter has no such part
 */
export const filterBranches = (
  scope: FilterScope,
  filters: FilterNode | null,
  keys: readonly KeySql[],
): { readonly branches: ValueBranches; readonly rest: readonly FilterNode[] } | null => {
  const nodes = conjuncts(filters);
  for (const node of nodes) {
    const branches = node.kind === 'leaf' ? valueBranches(scope, node) : null;
    if (branches !== null && isOrderBehind(branches.expression, true, keys))
      return { branches, rest: nodes.filter((other) => other !== node) };
  }
  return null;
};

/** Whether so many parts are still worth merging. */
export const isMergeable = (branches: readonly Branches[]): boolean =>
  branches.reduce((count, branch) => count * branch.count, 1) <= maxBranches;
