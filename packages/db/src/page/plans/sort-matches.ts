import { tables } from '../fields/record-sql.js';
import { type Condition, conditionsOf, hasNoIndex } from '../filter/conditions.js';
import type { KeySql } from '../order/sort-keys.js';
import type { PageRequest } from '../page-request.js';
import type { SqlScope } from '../parameters.js';
import { pipelineIdsSql } from './merge-pipelines.js';
import { emptySlotCondition, pipelineSql, type Reading } from './reading.js';

/**
 * Hides conditions from the planner, which has no statistics on them. For an `OR`, it would expect half of the records to match, and choose
 * a scan in one process. For an equality with an expression, such as `CASE … END = 1`, it expects one record in two hundred.
 */
const hideFromPlanner = (conditions: readonly string[]): string =>
  `CASE WHEN ${conditions.join(' AND ')} THEN 1 END = 1`;

/** A condition on all pipelines of the organization, because the indexes start with the pipeline. Empty if no index is used. */
const anyPipeline = ({ objectType, pipelineId }: PageRequest, conditions: readonly Condition[]): string[] =>
  pipelineId !== null || objectType !== 'opportunity' || conditions.every(({ counting }) => counting === null)
    ? []
    : [`r.pipeline_id = ANY (ARRAY(${pipelineIdsSql}))`];

/**
 * The conditions on all matches: organization, pipeline, stage, words and filters. Summaries use them too.
 *
 * @param keys - the order of the page, if it has one
 * @param others - further conditions on the records
 */
export const matchConditions = (
  request: PageRequest,
  keys: readonly KeySql[],
  scope: SqlScope,
  others: readonly string[] = [],
): string[] => {
  const conditions = conditionsOf(request, keys);
  const matches = conditions.map((condition) => condition.sql(scope));
  const isHidden = matches.length > 0 && conditions.every(hasNoIndex);
  return [
    'r.organization_id = $1',
    ...others,
    ...pipelineSql({ request, scope }),
    ...anyPipeline(request, conditions),
    ...(isHidden ? [hideFromPlanner(matches)] : matches),
  ];
};

/**
 * Finds all matches and sorts them. It uses the indexes of the conditions, or reads the whole table if they have none. `OFFSET 0` stops
 * the planner from scanning in page order instead, in the hope of early matches.
 *
 * Example:
 * `{"pipeline":"Sales","filters":{"field":"amount","operator":"between","value":[100,200]},"sort":"updated_at:desc"}`
 *
 * ```sql
 * SELECT r.record AS record, r.updated_at AS key_1, r.created_at AS key_2, r.id AS key_3
 *   FROM (
 *     SELECT r.*
 *       FROM opportunities r
 *      WHERE r.organization_id = $1 AND r.pipeline_id = $4::uuid AND r.amount BETWEEN $2::numeric
 *        AND $3::numeric
 *      OFFSET 0
 * ) r
 *  ORDER BY r.updated_at DESC, r.created_at DESC, r.id DESC
 *   LIMIT 51
 * ```
 *
 * Example: no index:
 * `{"pipeline":"Sales","filters":{"field":"next_step","operator":"contains","value":"call"},"sort":"updated_at:desc"}`
 *
 * ```sql
 * SELECT r.record AS record, r.updated_at AS key_1, r.created_at AS key_2, r.id AS key_3
 *   FROM (
 *     SELECT r.*
 *       FROM opportunities r
 *      WHERE r.organization_id = $1 AND r.pipeline_id = $3::uuid AND CASE WHEN (strpos((r.normalized->>'next_step') COLLATE "C", $2::text) > 0) THEN 1 END = 1
 *      OFFSET 0
 * ) r
 *  ORDER BY r.updated_at DESC, r.created_at DESC, r.id DESC
 *   LIMIT 51
 * ```
 */
export const sortMatchesSql = (reading: Reading): string => {
  const { request, part, scope } = reading;
  const where = matchConditions(request, part.keys, scope, [...part.conditions, ...emptySlotCondition(reading)]);
  return `FROM (SELECT r.* FROM ${tables[request.objectType]} r WHERE ${where.join(' AND ')} OFFSET 0) r`;
};
