import type { FilterNode } from '@crm/domain';
import { conditionsOf } from '../filter/conditions.js';
import { conjuncts, filterSql } from '../filter/filter-sql.js';
import { type ValueBranches, valueBranches } from '../filter/value-branches.js';
import { continuesInOrder } from '../order/order-by.js';
import type { KeySql } from '../order/sort-keys.js';
import { maxBranches, type PageRequest } from '../page-request.js';
import type { Parameters } from '../parameters.js';
import { countOf, mergedSql, subselect, type TableRead } from './branches.js';
import { pipelineBranches } from './merge-pipelines.js';
import { partConditions, type Reading, tableRead } from './reading.js';

/** A filter with one part that is read value by value. */
export interface FilterByValue {
  readonly branches: ValueBranches;
  /** The other parts of the filter. */
  readonly rest: readonly FilterNode[];
}

/**
 * Splits off the first part of a filter that can be read value by value in the order of `keys`. Returns null if no part can, or if that
 * part takes more than {@link maxBranches} branches.
 */
export const filterByValue = (request: PageRequest, keys: readonly KeySql[]): FilterByValue | null => {
  const nodes = conjuncts(request.filters);
  for (const node of nodes) {
    const branches = node.kind === 'leaf' ? valueBranches(request, node) : null;
    if (branches === null || !continuesInOrder(branches.expression, true, keys)) continue;
    return countOf([...pipelineBranches(request), branches]) > maxBranches
      ? null
      : { branches, rest: nodes.filter((other) => other !== node) };
  }
  return null;
};

/** The most values that are merged record by record. Each adds 0.2 ms of planning, which costs more than it saves beyond this number. */
const maxStreams = 4;

/** Reads only as many records of each value as the page takes. Returns null if there are too many values. */
const streamedSql = (
  read: TableRead,
  branches: ValueBranches,
  [first]: readonly KeySql[],
  parameters: Parameters,
): string | null => {
  const { expression, condition } = branches;
  if (first?.expression === expression) {
    const values = branches.ordered(parameters, first.direction);
    // The outer condition lets the planner see that the rows are already in page order.
    return `${values} CROSS JOIN LATERAL ${subselect(read, condition)} r WHERE ${condition}`;
  }
  if (branches.count > maxStreams || branches.count === 0) return null;
  return `(${branches
    .each(parameters)
    .map((value) => subselect(read, value))
    .join(' UNION ALL ')}) r`;
};

/**
 * Reads the records of each value of a filter in order and merges them. After each value, the index of the field continues in page
 * order.
 *
 * Example: up to four values, which PostgreSQL merges record by record (Merge Append):
 * `{"pipeline":"Sales","filters":{"field":"tier","operator":"in","value":["gold","iron"]},"sort":"updated_at:desc"}`
 *
 * ```sql
 * SELECT r.record AS record, r.updated_at AS key_1, r.created_at AS key_2, r.id AS key_3
 *   FROM (
 *     (
 *         SELECT r.*
 *           FROM opportunities r
 *          WHERE r.organization_id = $1 AND r.pipeline_id = $2::uuid AND r.text_1 = $3::text
 *          ORDER BY r.updated_at DESC, r.created_at DESC, r.id DESC
 *                   LIMIT 51
 *     )
 *     UNION ALL
 *     (
 *         SELECT r.*
 *           FROM opportunities r
 *          WHERE r.organization_id = $1 AND r.pipeline_id = $2::uuid AND r.text_1 = $4::text
 *          ORDER BY r.updated_at DESC, r.created_at DESC, r.id DESC
 *                   LIMIT 51
 *     )
 * ) r
 *  ORDER BY r.updated_at DESC, r.created_at DESC, r.id DESC
 *   LIMIT 51
 * ```
 *
 * Example: a sort by the filtered field itself, so the values are read one after the other:
 * `{"pipeline":"Sales","filters":{"field":"tier","operator":"in","value":["gold","iron"]},"sort":"tier:asc"}`
 *
 * ```sql
 * SELECT r.record AS record, r.text_1 AS key_1, r.created_at AS key_2, r.id AS key_3
 *   FROM (
 *     SELECT v.value COLLATE "C" AS value
 *       FROM unnest($3::text[]) AS v (value)
 *      ORDER BY v.value COLLATE "C" asc
 * ) AS by_value
 *  CROSS JOIN LATERAL (
 *     SELECT r.*
 *       FROM opportunities r
 *      WHERE r.organization_id = $1 AND r.text_1 IS NOT NULL AND r.pipeline_id = $2::uuid
 *        AND r.text_1 = by_value.value
 *      ORDER BY r.text_1 ASC, r.created_at ASC, r.id ASC
 *           LIMIT 51
 * ) r
 *  WHERE r.text_1 = by_value.value
 *  ORDER BY r.text_1 ASC, r.created_at ASC, r.id ASC
 *   LIMIT 51
 * ```
 *
 * Example: all other cases read one page of each value, here in each pipeline:
 * `{"filters":{"field":"stage_name","operator":"in","value":["Lead","Won"]},"sort":"created_at:desc"}`
 *
 * ```sql
 * SELECT r.record AS record, r.created_at AS key_1, r.id AS key_2
 *   FROM (SELECT p.id FROM pipelines p WHERE p.organization_id = $1) AS by_pipeline (value)
 *  CROSS JOIN unnest($2::uuid[]) AS by_value (value)
 *  CROSS JOIN LATERAL (
 *     SELECT r.*
 *       FROM opportunities r
 *      WHERE r.organization_id = $1 AND r.pipeline_id = by_pipeline.value AND r.stage_id = by_value.value
 *      ORDER BY r.created_at DESC, r.id DESC
 *           LIMIT 51
 * ) r
 *  ORDER BY r.created_at DESC, r.id DESC
 *   LIMIT 51
 * ```
 */
export const mergeValuesSql = (reading: Reading): string => {
  const { request, part, scope } = reading;
  const byValue = filterByValue(request, part.keys);
  if (byValue === null) throw new Error('No part of the filter can be read value by value');
  const where = [
    ...partConditions(reading),
    ...conditionsOf({ ...request, filters: null }, part.keys).map((condition) => condition.sql(scope)),
    ...byValue.rest.map((node) => filterSql(scope, node)),
  ];
  const read = tableRead(reading, where);
  const pipelines = pipelineBranches(request);
  const streamed = pipelines.length > 0 ? null : streamedSql(read, byValue.branches, part.keys, scope.parameters);
  return `FROM ${streamed ?? mergedSql(read, [...pipelines, byValue.branches], scope.parameters)}`;
};
