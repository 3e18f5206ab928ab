import type { Branches, ValueBranches } from '../conditions.js';
import type { LabelField } from '../fields.js';
import { type LabelRanking, orderBySql } from '../order.js';
import type { PartPlan } from '../plan.js';

/** A bounded read of a table as SQL. */
export interface TableRead {
  readonly table: string;
  readonly where: readonly string[];
  readonly order: string;
  readonly limit: number;
}

/** An ordered, bounded subselect with further conditions. */
export const subselect = ({ table, where, order, limit }: TableRead, ...conditions: readonly string[]): string =>
  `(SELECT r.* FROM ${table} r WHERE ${[...where, ...conditions].join(' AND ')} ORDER BY ${order} LIMIT ${limit})`;

/**
 * The rows of all branches, each read in order up to the limit: `unnest(…) AS by_value (value) CROSS JOIN LATERAL (SELECT …) r`. Without
 * branches, it is one bounded subselect.
 */
export const unionSql = (read: TableRead, branches: readonly Branches[]): string => {
  const rows = `${subselect(read, ...branches.map(({ condition }) => condition))} r`;
  const values = branches.map(({ from }) => from).join(' CROSS JOIN ');
  return values === '' ? rows : `${values} CROSS JOIN LATERAL ${rows}`;
};

/** A read of the plan's table in the order of its part, with some conditions. */
export const tableRead = ({ table, own, limit }: PartPlan, where: readonly string[]): TableRead => ({
  table,
  where,
  order: orderBySql(own.order),
  limit,
});

/** The condition on the part's empty slot, if it has one. */
export const emptySlotCondition = ({ own: { emptySlot } }: PartPlan): string[] =>
  emptySlot === null ? [] : [`${emptySlot} IS NULL`];

/** All conditions on a record, except one that is read value by value. */
const allConditions = (plan: PartPlan, without: unknown = null): string[] => [
  ...plan.place,
  ...plan.own.conditions,
  ...emptySlotCondition(plan),
  ...plan.filtered.filter((condition) => condition !== without).map(({ sql }) => sql),
];

/**
 * Reads the table with all conditions in page order. An index serves the conditions and then continues in page order, so PostgreSQL
 * stops when the page is full. If no index has that order, PostgreSQL reads and sorts all matches.
 *
 * Example of in-order: the default list: `{"pipeline":"Sales"}`
 *
 * ```sql
 * SELECT r.record AS record, r.created_at AS key_1, r.id AS key_2
 *  FROM opportunities r WHERE r.organization_id = $1 AND r.pipeline_id = $2::uuid
 *  ORDER BY r.created_at DESC, r.id DESC LIMIT 51
 * ```
 *
 * Example of in-order: the page after a cursor, with a filter whose index continues in page order:
 * `{"pipeline":"Sales","filters":{"field":"tier","operator":"eq","value":"gold"},
 *   "after":["2026-01-31T12:00:00.000Z","019c1402-8100-7000-8000-000000000001"]}`
 *
 * ```sql
 * SELECT r.record AS record, r.created_at AS key_1, r.id AS key_2
 *  FROM opportunities r WHERE r.organization_id = $1 AND r.pipeline_id = $2::uuid
 *  AND (r.created_at, r.id) < ($3::timestamptz, $4::uuid) AND r.text_1 = $5::text
 *  ORDER BY r.created_at DESC, r.id DESC LIMIT 51
 * ```
 *
 * Example of in-order: a sort by a custom field without a slot, which no index has: `{"pipeline":"Sales","sort":"weight:asc"}`
 *
 * ```sql
 * SELECT r.record AS record, (r.custom_fields->>$2::text)::float8 AS key_1, r.created_at AS key_2, r.id AS key_3
 *  FROM opportunities r WHERE r.organization_id = $1 AND r.pipeline_id = $3::uuid AND (r.custom_fields->>$2::text)::float8 IS NOT NULL
 *  ORDER BY (r.custom_fields->>$2::text)::float8 ASC, r.created_at ASC, r.id ASC LIMIT 51
 * ```
 *
 * Example of in-order: a sort by several fields: `{"pipeline":"Sales","sort":["currency","name:desc"]}`
 *
 * ```sql
 * SELECT r.record AS record, left((r.normalized->>'currency') COLLATE "C", 200) COLLATE "C" AS key_1, left(r.normalized_name, 200) AS key_2, r.created_at AS key_3, r.id AS key_4
 *  FROM opportunities r WHERE r.organization_id = $1 AND r.pipeline_id = $2::uuid
 *  ORDER BY left((r.normalized->>'currency') COLLATE "C", 200) COLLATE "C" ASC, left(r.normalized_name, 200) DESC, r.created_at DESC, r.id DESC LIMIT 51
 * ```
 */
export const inOrderSql = (plan: PartPlan): string => `FROM ${plan.table} r WHERE ${allConditions(plan).join(' AND ')}`;

/**
 * Reads one page of each pipeline in order and merges them, because the indexes of opportunities start with the pipeline.
 *
 * Example of union-pipelines: `{"sort":"updated_at:desc"}`
 *
 * ```sql
 * SELECT r.record AS record, r.updated_at AS key_1, r.created_at AS key_2, r.id AS key_3
 *  FROM (SELECT p.id FROM pipelines p WHERE p.organization_id = $1) AS by_pipeline (value)
 *  CROSS JOIN LATERAL (
 *    SELECT r.* FROM opportunities r WHERE r.organization_id = $1 AND r.pipeline_id = by_pipeline.value
 *     ORDER BY r.updated_at DESC, r.created_at DESC, r.id DESC LIMIT 51) r
 *  ORDER BY r.updated_at DESC, r.created_at DESC, r.id DESC LIMIT 51
 * ```
 */
export const unionPipelinesSql = (plan: PartPlan): string =>
  `FROM ${unionSql(tableRead(plan, allConditions(plan)), plan.pipelines)}`;

/** The most values that are merged record by record. Each adds 0.2 ms of planning, which costs more than it saves beyond this number. */
const maxStreams = 4;

/** Reads only as many records of each value as the page takes. Returns null if there are too many values. */
const streamedSql = ({ own, parameters }: PartPlan, read: TableRead, branches: ValueBranches): string | null => {
  const { expression, condition, type, list, values } = branches;
  const [first] = own.keys;
  if (first?.expression === expression) {
    const value = `v.value${type === 'text' ? ' COLLATE "C"' : ''}`;
    const ordered = `(SELECT ${value} AS value FROM unnest(${list}) AS v (value) ORDER BY ${value} ${first.direction}) AS by_value`;
    // The outer condition lets the planner see that the rows are already in page order.
    return `${ordered} CROSS JOIN LATERAL ${subselect(read, condition)} r WHERE ${condition}`;
  }
  if (values.length > maxStreams || values.length === 0) return null;
  const streams = values.map((value) => subselect(read, `${expression} = ${parameters.add(value)}::${type}`));
  return `(${streams.join(' UNION ALL ')}) r`;
};

/**
 * Reads the records of each value of a filter in order and merges them. After each value, the index of the field continues in page
 * order.
 *
 * Example of union-values: up to four values, which PostgreSQL merges record by record (Merge Append):
 * `{"pipeline":"Sales","filters":{"field":"tier","operator":"in","value":["gold","iron"]},"sort":"updated_at:desc"}`
 *
 * ```sql
 * SELECT r.record AS record, r.updated_at AS key_1, r.created_at AS key_2, r.id AS key_3
 *  FROM (
 *    (
 *      SELECT r.* FROM opportunities r WHERE r.organization_id = $1 AND r.pipeline_id = $2::uuid AND r.text_1 = $3::text
 *       ORDER BY r.updated_at DESC, r.created_at DESC, r.id DESC LIMIT 51)
 *     UNION ALL (
 *       SELECT r.* FROM opportunities r WHERE r.organization_id = $1 AND r.pipeline_id = $2::uuid
 *        AND r.text_1 = $4::text ORDER BY r.updated_at DESC, r.created_at DESC, r.id DESC LIMIT 51)) r
 *  ORDER BY r.updated_at DESC, r.created_at DESC, r.id DESC LIMIT 51
 * ```
 *
 * Example of union-values: a sort by the filtered field itself, so the values are read one after the other:
 * `{"pipeline":"Sales","filters":{"field":"tier","operator":"in","value":["gold","iron"]},"sort":"tier:asc"}`
 *
 * ```sql
 * SELECT r.record AS record, r.text_1 AS key_1, r.created_at AS key_2, r.id AS key_3
 *  FROM (SELECT v.value COLLATE "C" AS value FROM unnest($2::text[]) AS v (value) ORDER BY v.value COLLATE "C" asc) AS by_value
 *  CROSS JOIN LATERAL (
 *    SELECT r.* FROM opportunities r WHERE r.organization_id = $1 AND r.pipeline_id = $3::uuid AND r.text_1 IS NOT NULL
 *     AND r.text_1 = by_value.value ORDER BY r.text_1 ASC, r.created_at ASC, r.id ASC LIMIT 51) r
 *  WHERE r.text_1 = by_value.value ORDER BY r.text_1 ASC, r.created_at ASC, r.id ASC LIMIT 51
 * ```
 *
 * Example of union-values: all other cases read one page of each value, here in each pipeline:
 * `{"filters":{"field":"stage_name","operator":"in","value":["Lead","Won"]},"sort":"created_at:desc"}`
 *
 * ```sql
 * SELECT r.record AS record, r.created_at AS key_1, r.id AS key_2
 *  FROM (SELECT p.id FROM pipelines p WHERE p.organization_id = $1) AS by_pipeline (value)
 *  CROSS JOIN unnest($2::uuid[]) AS by_value (value)
 *  CROSS JOIN LATERAL (
 *    SELECT r.* FROM opportunities r WHERE r.organization_id = $1 AND r.pipeline_id = by_pipeline.value
 *     AND r.stage_id = by_value.value ORDER BY r.created_at DESC, r.id DESC LIMIT 51) r
 *  ORDER BY r.created_at DESC, r.id DESC LIMIT 51
 * ```
 */
export const unionValuesSql = (plan: PartPlan): string => {
  const { byValue, pipelines } = plan;
  if (byValue === null) throw new Error('No part of the filter can be read value by value');
  const read = tableRead(plan, allConditions(plan, byValue));
  const streamed = pipelines.length > 0 ? null : streamedSql(plan, read, byValue.branches);
  return `FROM ${streamed ?? unionSql(read, [...pipelines, byValue.branches])}`;
};

/** The table that a column refers to, and that table's pipeline column. */
const sources: Readonly<Record<LabelField['column'], { readonly table: string; readonly pipeline: string | null }>> = {
  stage_id: { table: 'stages', pipeline: 'pipeline_id' },
  pipeline_id: { table: 'pipelines', pipeline: 'id' },
  owner_id: { table: 'members', pipeline: null },
};

/** The ids in label order, starting at the page's position. */
const ranksSql = (
  { request: { pipelineId }, own: { position }, parameters }: PartPlan,
  { column, direction, labels }: LabelRanking,
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

const rankBranches = (plan: PartPlan, ranking: LabelRanking): Branches => {
  const { column, direction, labels } = ranking;
  const conditions = [`r.${column} = by_rank.id`];
  if (column === 'stage_id' && plan.request.pipelineId === null) conditions.push('r.pipeline_id = by_rank.pipeline_id');
  if (plan.own.position !== null)
    conditions.push(`(r.created_at, r.id) ${direction === 'asc' ? '>' : '<'} (by_rank.after_at, by_position.after_id)`);
  return { condition: conditions.join(' AND '), from: ranksSql(plan, ranking), count: labels.size };
};

/**
 * Reads the records in the order of a label: a stage, a pipeline or an owner. The index on the id continues in `created_at` order, so
 * the records of the first label, then of the second and so on come in page order. PostgreSQL reads the next label only while the
 * page is not full. The labels and their sort keys are bound as parameters, because only TypeScript normalizes text.
 *
 * Example of label-order: `{"pipeline":"Sales","sort":"stage_name:asc"}`
 *
 * ```sql
 * SELECT r.record AS record, r.rank_key AS key_1, r.created_at AS key_2, r.id AS key_3 FROM (
 *   SELECT r.*, by_rank.key AS rank_key
 *     FROM (SELECT k.* FROM (
 *         SELECT x.id, x.pipeline_id AS pipeline_id, k.key COLLATE "C" AS key
 *           FROM stages x JOIN unnest($2::uuid[], $3::text[]) AS k (id, key) ON k.id = x.id
 *          WHERE x.organization_id = $1 AND x.pipeline_id = $4::uuid) k ORDER BY k.key asc) AS by_rank
 *     CROSS JOIN LATERAL (
 *       SELECT r.* FROM opportunities r
 *        WHERE r.organization_id = $1 AND r.pipeline_id = $5::uuid AND r.stage_id = by_rank.id
 *        ORDER BY r.created_at ASC, r.id ASC LIMIT 51) r) r
 *  ORDER BY r.rank_key ASC, r.created_at ASC, r.id ASC LIMIT 51
 * ```
 */
export const labelOrderSql = (plan: PartPlan): string => {
  const { ranking, keys, place, pipelines } = plan;
  if (ranking === null) throw new Error('The request does not sort by a label alone');
  const branches = [rankBranches(plan, ranking), ...(ranking.column === 'owner_id' ? pipelines : [])];
  const read = { ...tableRead(plan, place), order: orderBySql(keys.slice(1)) };
  return `FROM (SELECT r.*, by_rank.key AS rank_key FROM ${unionSql(read, branches)}) r`;
};
