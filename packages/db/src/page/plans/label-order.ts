import type { CursorPosition } from '@crm/domain';
import type { LabelField } from '../fields/label-field.js';
import { type LabelRanking, labelRanking, rankingKeys } from '../order/label-ranking.js';
import { orderBySql } from '../order/order-by.js';
import type { PageRequest } from '../page-request.js';
import type { Parameters } from '../parameters.js';
import { type Branches, mergedSql } from './branches.js';
import { pipelineBranches } from './merge-pipelines.js';
import { pipelineSql, type Reading, tableRead } from './reading.js';

/** The table that a column refers to, and that table's pipeline column. */
const sources: Readonly<Record<LabelField['column'], { readonly table: string; readonly pipeline: string | null }>> = {
  stage_id: { table: 'stages', pipeline: 'pipeline_id' },
  pipeline_id: { table: 'pipelines', pipeline: 'id' },
  owner_id: { table: 'members', pipeline: null },
};

/** The ids in label order, starting at a position. */
const ranksSql = (
  { pipelineId }: PageRequest,
  { column, direction, labels }: LabelRanking,
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
  // The cursor applies only to records of its own label. For labels after it, infinity lets all records pass.
  return `(
    SELECT k.*, CASE WHEN k.key = ${key}::text THEN ${createdAt}::timestamptz ELSE '${isAsc ? '-' : ''}infinity' END AS after_at
      FROM (${ranks}) k WHERE k.key ${isAsc ? '>=' : '<='} ${key}::text ORDER BY ${order}) AS by_rank
    CROSS JOIN (SELECT ${id}::uuid AS after_id) AS by_position`;
};

const rankBranches = ({ request, position }: Reading, ranking: LabelRanking): Branches => {
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
 * Reads the records in the order of a label: a stage, a pipeline or an owner. The index on the id continues in `created_at` order, so
 * the records of the first label, then of the second and so on come in page order. PostgreSQL reads the next label only while the
 * page is not full. The labels and their sort keys are bound as parameters, because only TypeScript normalizes text.
 *
 * Example: `{"pipeline":"Sales","sort":"stage_name:asc"}`
 *
 * ```sql
 * SELECT r.record AS record, r.rank_key AS key_1, r.created_at AS key_2, r.id AS key_3
 *   FROM (
 *     SELECT r.*, by_rank.key AS rank_key
 *       FROM (
 *         SELECT k.*
 *           FROM (
 *             SELECT x.id, x.pipeline_id AS pipeline_id, k.key COLLATE "C" AS key
 *               FROM stages x JOIN unnest($4::uuid[], $5::text[]) AS k (id, key) ON k.id = x.id
 *              WHERE x.organization_id = $1 AND x.pipeline_id = $3::uuid
 *         ) k
 *          ORDER BY k.key asc
 *     ) AS by_rank
 *      CROSS JOIN LATERAL (
 *         SELECT r.*
 *           FROM opportunities r
 *          WHERE r.organization_id = $1 AND r.pipeline_id = $2::uuid AND r.stage_id = by_rank.id
 *          ORDER BY r.created_at ASC, r.id ASC
 *           LIMIT 51
 *     ) r
 * ) r
 *  ORDER BY r.rank_key ASC, r.created_at ASC, r.id ASC
 *           LIMIT 51
 * ```
 */
export const labelOrderSql = (reading: Reading): string => {
  const { request, scope } = reading;
  const ranking = labelRanking(request);
  if (ranking === null) throw new Error('The request does not sort by a label alone');
  const branches = [
    rankBranches(reading, ranking),
    ...(ranking.column === 'owner_id' ? pipelineBranches(request) : []),
  ];
  const read = {
    ...tableRead(reading, ['r.organization_id = $1', ...pipelineSql(reading)]),
    order: orderBySql(rankingKeys(request, ranking).slice(1)),
  };
  return `FROM (SELECT r.*, by_rank.key AS rank_key FROM ${mergedSql(read, branches, scope.parameters)}) r`;
};
