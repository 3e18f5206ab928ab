import { type CursorPosition, matchesFilter, type SortDirection, sortKey } from '@crm/domain';
import type { Bound } from './bound.js';
import { type Branches, byPipeline, conjuncts, mergedSql } from './branches.js';
import { type CatalogField, catalogField, matchingCatalogIds } from './filter-sql.js';
import type { PageRequest } from './page-request.js';
import { Parameters } from './parameters.js';
import { tables } from './record-sql.js';
import { type KeySql, orderBySql, sortKeysSql } from './sort-sql.js';

/**
 * An order by a label that the catalog holds for the id in a column. The index on that column goes on by creation, so that the
 * ids in the order of their labels, one behind the other, are the order wanted, and only those that a page reaches are read.
 */
export interface Ranking {
  readonly column: CatalogField['column'];
  readonly direction: SortDirection;
  /** The labels' sort keys by id: of all ids, or of those that a filter leaves. */
  readonly labels: ReadonlyMap<string, string>;
}

/** The table of a column's ids, and its column for their pipeline. */
const sources: Readonly<Record<CatalogField['column'], { readonly table: string; readonly pipeline: string | null }>> =
  {
    stage_id: { table: 'stages', pipeline: 'pipeline_id' },
    pipeline_id: { table: 'pipelines', pipeline: 'id' },
    owner_id: { table: 'members', pipeline: null },
  };

/** The ranking that a request asks for; null where it asks for another order, or for more than a ranking finds by itself. */
export const rankingOf = (request: PageRequest): Ranking | null => {
  const { catalog, words, stageId, filters, sort, pipelineId } = request;
  const [key, second] = sort;
  const field = key === undefined ? null : catalogField(catalog, key.field);
  if (key === undefined || field === null || second !== undefined || words.length > 0 || stageId !== null) return null;
  // Without a pipeline the index of the owners is read pipeline by pipeline.
  if (field.column === 'owner_id' && pipelineId === null && byPipeline(request).length === 0) return null;
  const labels = [...field.labels].map(([id, label]) => [id, sortKey(label)] as const);
  const ranking = { column: field.column, direction: key.direction };
  const [leaf, other] = conjuncts(filters);
  if (leaf === undefined) return { ...ranking, labels: new Map(labels) };
  const isOwn = leaf.kind === 'leaf' && catalogField(catalog, leaf.field)?.column === field.column;
  if (!isOwn || other !== undefined || matchesFilter(leaf, () => null)) return null;
  const matching = new Set(matchingCatalogIds(field, leaf));
  return { ...ranking, labels: new Map(labels.filter(([id]) => matching.has(id))) };
};

/** The keys of a ranking's order. The first comes with the rows of {@link rankedSql}. */
export const rankedKeys = (
  { catalog, objectType, sort }: PageRequest,
  { column, direction }: Ranking,
): readonly KeySql[] => {
  const [, ...closing] = sortKeysSql(catalog, objectType, sort, new Parameters());
  const presence = `r.${column}`;
  const first = {
    expression: 'r.rank_key',
    presence,
    type: 'text',
    nullable: true,
    direction,
    isIndexed: true,
  } as const;
  return [first, ...closing];
};

/** The ids in the order of their labels, from a position on. */
const ranksSql = (
  { pipelineId }: PageRequest,
  { column, direction, labels }: Ranking,
  position: CursorPosition | null,
  parameters: Parameters,
): string => {
  const { table, pipeline } = sources[column];
  const where = ['x.organization_id = $1'];
  if (pipeline !== null && pipelineId !== null) where.push(`x.${pipeline} = ${parameters.add(pipelineId)}::uuid`);
  const ids = parameters.add([...labels.keys()]);
  const keys = parameters.add([...labels.values()]);
  const ranks = `
    SELECT x.id, x.${pipeline ?? 'id'} AS pipeline_id, k.key COLLATE "C" AS key
      FROM ${table} x JOIN unnest(${ids}::uuid[], ${keys}::text[]) AS k (id, key) ON k.id = x.id
     WHERE ${where.join(' AND ')}`;
  const order = `k.key ${direction}`;
  if (position === null) return `(SELECT k.* FROM (${ranks}) k ORDER BY ${order}) AS by_rank`;
  const [key, createdAt, id] = position.map((value) => parameters.add(value));
  const isAsc = direction === 'asc';
  // Behind the label of the position all records of an id are wanted.
  return `(
    SELECT k.*, CASE WHEN k.key = ${key}::text THEN ${createdAt}::timestamptz ELSE '${isAsc ? '-' : ''}infinity' END AS after_at
      FROM (${ranks}) k WHERE k.key ${isAsc ? '>=' : '<='} ${key}::text ORDER BY ${order}) AS by_rank
    CROSS JOIN (SELECT ${id}::uuid AS after_id) AS by_position`;
};

const rankBranches = (request: PageRequest, ranking: Ranking, position: CursorPosition | null): Branches => {
  const { column, direction, labels } = ranking;
  const conditions = [`r.${column} = by_rank.id`];
  if (column === 'stage_id' && request.pipelineId === null) conditions.push('r.pipeline_id = by_rank.pipeline_id');
  if (position !== null)
    conditions.push(`(r.created_at, r.id) ${direction === 'asc' ? '>' : '<'} (by_rank.after_at, by_position.after_id)`);
  return {
    condition: conditions.join(' AND '),
    from: (parameters) => ranksSql(request, ranking, position, parameters),
    count: labels.size,
  };
};

/**
 * The statement's FROM for the records that have a label, in the order of {@link rankedKeys}.
 * @param position - where the page before ended, or null
 */
export const rankedSql = (
  request: PageRequest,
  ranking: Ranking,
  position: CursorPosition | null,
  bound: Bound,
  parameters: Parameters,
): string => {
  const where = ['r.organization_id = $1'];
  if (request.pipelineId !== null) where.push(`r.pipeline_id = ${parameters.add(request.pipelineId)}::uuid`);
  const branches = [
    rankBranches(request, ranking, position),
    ...(ranking.column === 'owner_id' ? byPipeline(request) : []),
  ];
  const order = orderBySql(rankedKeys(request, ranking).slice(1));
  return `FROM (SELECT r.*, by_rank.key AS rank_key
    FROM ${mergedSql(tables[request.objectType], where, branches, order, bound, parameters)}) r`;
};
