import type { FilterLeaf, FilterNode, FilterScalar } from '@crm/domain';
import type { Catalog } from '../catalog.js';
import { type FieldSql, fieldSql } from './field-sql.js';
import { catalogField, type FilterScope, isWholeKey, matchingCatalogIds } from './filter-sql.js';
import { Parameters } from './parameters.js';
import type { KeySql } from './sort-sql.js';

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
}

/** The most parts that one statement merges. */
const maxBranches = 200;

/** One branch for each pipeline, for a read that names none: their indexes start with it. */
export const pipelineBranches = (catalog: Catalog): Branches | null => {
  const ids = catalog.pipelines.map(({ id }) => id);
  if (ids.length === 0 || ids.length > maxBranches) return null;
  return {
    condition: 'r.pipeline_id = by_pipeline.value',
    from: (parameters) => `unnest(${parameters.add(ids)}::uuid[]) AS by_pipeline (value)`,
    count: ids.length,
  };
};

const fitsOrder = (expression: string, [first]: readonly KeySql[]): boolean =>
  first?.expression === 'r.created_at' || first?.expression === expression;

/** Values that are shorter than the cut of a sort key are told by the key alone. */
const isReadableByKey = (field: FieldSql, values: readonly FilterScalar[]): boolean =>
  field.form === 'scalar' && field.isIndexed && (!field.isKeyCut || values.every(isWholeKey));

const valueBranches = (
  { catalog, objectType }: FilterScope,
  leaf: FilterLeaf,
  keys: readonly KeySql[],
): Branches | null => {
  if (leaf.operator !== 'in' || !Array.isArray(leaf.value)) return null;
  const fromCatalog = catalogField(catalog, leaf.field);
  // The key of a field with an index is a column and binds nothing; what other fields bind is not wanted here.
  const field = fromCatalog === null ? fieldSql(catalog, objectType, leaf.field, new Parameters()) : null;
  if (field !== null && !isReadableByKey(field, leaf.value)) return null;
  const expression = fromCatalog === null ? (field?.key ?? '') : `r.${fromCatalog.column}`;
  const type = field?.type ?? 'uuid';
  const values = fromCatalog === null ? leaf.value : matchingCatalogIds(fromCatalog, leaf);
  if (values.length > maxBranches || type === 'timestamptz' || !fitsOrder(expression, keys)) return null;
  return {
    condition: `${expression} = by_value.value`,
    from: (parameters) => `unnest(${parameters.add(values)}::${type}[]) AS by_value (value)`,
    count: values.length,
  };
};

/**
 * Takes one `in` out of a filter that can be read value by value.
 * @returns the branches and what is left of the filter, or null when the filter has no such part
 */
export const filterBranches = (
  scope: FilterScope,
  filters: FilterNode | null,
  keys: readonly KeySql[],
): { readonly branches: Branches; readonly rest: readonly FilterNode[] } | null => {
  const nodes = filters === null ? [] : filters.kind === 'and' ? filters.nodes : [filters];
  for (const node of nodes) {
    const branches = node.kind === 'leaf' ? valueBranches(scope, node, keys) : null;
    if (branches !== null) return { branches, rest: nodes.filter((other) => other !== node) };
  }
  return null;
};

/** Whether so many parts are still worth merging. */
export const isMergeable = (branches: readonly Branches[]): boolean =>
  branches.reduce((count, branch) => count * branch.count, 1) <= maxBranches;
