import { type Condition, creationOrder, hasNoIndex } from '../conditions.js';
import { type PartPlan, pipelineIdsSql } from '../plan.js';
import { emptySlotCondition, tableRead, type TableRead, unionSql } from './in-page-order.js';

/**
 * Lets the planner expect that half of the records match, and so that it fills the page from a few. For a word or range without its
 * value, it would expect so few that it would read and sort the whole pipeline.
 */
const asCommon = (conditions: readonly string[]): string => `CASE WHEN ${conditions.join(' AND ')} THEN true END`;

/**
 * Reads a fixed number of next records in page order and returns the matches. If matches are common, the page is full after a few
 * records. The outer SELECT has no ORDER BY, because the rows already come in order. If the keys are expressions, a second ORDER BY
 * would make PostgreSQL read and sort all rows (365 ms instead of 0.2 ms).
 *
 * Example of scan-next: `{"pipeline":"Sales","q":"acme","sort":"updated_at:desc"}`
 *
 * ```sql
 * SELECT r.record AS record, r.updated_at AS key_1, r.created_at AS key_2, r.id AS key_3
 *  FROM (SELECT r.* FROM opportunities r WHERE r.organization_id = $1 AND r.pipeline_id = $2::uuid
 *     ORDER BY r.updated_at DESC, r.created_at DESC, r.id DESC LIMIT 5000) r
 *  WHERE CASE WHEN r.search_text LIKE $3 THEN true END LIMIT 51
 * ```
 *
 * Example of scan-next: a stage, whose index continues in page order, and a filter without an index:
 * `{"pipeline":"Sales","stage":"Won","filters":{"field":"next_step","operator":"contains","value":"call"}}`
 *
 * ```sql
 * SELECT r.record AS record, r.created_at AS key_1, r.id AS key_2
 *  FROM (SELECT r.* FROM opportunities r WHERE r.organization_id = $1 AND r.pipeline_id = $2::uuid AND r.stage_id = $3::uuid
 *     ORDER BY r.created_at DESC, r.id DESC LIMIT 300) r
 *  WHERE CASE WHEN (strpos((r.normalized->>'next_step') COLLATE "C", $4::text) > 0) THEN true END LIMIT 51
 * ```
 */
export const scanNextSql = (plan: PartPlan, records: number): string => {
  const { place, own, filtered, pipelines } = plan;
  // One condition whose index continues in page order is part of the scan. A second such condition is not part of it: if none of the next
  // records matched it, the scan would read the rest of the index.
  const followed = filtered.find(({ isInOrder }) => isInOrder);
  const where = [...place, ...own.conditions, ...(followed === undefined ? [] : [followed.sql])];
  const read = { ...tableRead(plan, where), limit: records };
  const union = unionSql(read, pipelines);
  // The rows of all pipelines are limited once more. A branch that reached its limit may have further records, so only the first `records`
  // rows are certain to be the next ones.
  const next = pipelines.length === 0 ? union : `(SELECT r.* FROM ${union} ORDER BY ${read.order} LIMIT ${records}) r`;
  const others = filtered.filter((condition) => condition !== followed).map(({ sql, check = sql }) => check);
  return `FROM ${next} WHERE ${asCommon([...emptySlotCondition(plan), ...others])}`;
};

/** The number of rows of a bounded read, such as `(SELECT … LIMIT 2001) r`, as SQL. */
const countOfSql = (rows: string, limit: number): string =>
  `(SELECT count(*) FROM (SELECT FROM ${rows} LIMIT ${limit}) c)`;

/** The number of records in the pipeline, or in all pipelines, counted up to a limit, as SQL. */
export const pipelineSizeSql = ({ table, place, pipelines }: PartPlan, limit: number): string =>
  countOfSql(unionSql({ table, where: place, order: creationOrder, limit }, pipelines), limit);

/** The most conditions that are counted. */
const maxCounted = 4;

/** The matches of one condition, if they are few. */
export interface FewMatches {
  /** The number of matches, counted up to one more than few. */
  readonly count: string;
  /** FROM and WHERE of the records that match this condition and all others. */
  readonly source: string;
}

/**
 * Finds all records of a page among the few matches of one of its conditions. Both the count and the read have the order of the
 * condition's own index and a limit, so only that index fits.
 *
 * Example of sort-few: one condition, without the steps that follow if it has more matches:
 * `{"pipeline":"Sales","filters":{"field":"amount","operator":"between","value":[100,200]},"sort":"updated_at:desc"}`
 *
 * ```sql
 * WITH few AS MATERIALIZED (
 *   SELECT CASE WHEN (SELECT count(*) FROM (SELECT FROM (
 *       SELECT r.* FROM opportunities r
 *        WHERE r.organization_id = $1 AND r.pipeline_id = $2::uuid AND r.amount BETWEEN $3::numeric AND $4::numeric
 *        ORDER BY r.amount LIMIT 2001) r LIMIT 2001) c) <= 2000 THEN 1 ELSE 0 END AS condition)
 * (SELECT * FROM (
 *     SELECT r.record AS record, r.updated_at AS key_1, r.created_at AS key_2, r.id AS key_3
 *       FROM (SELECT r.* FROM opportunities r
 *              WHERE r.organization_id = $1 AND r.pipeline_id = $2::uuid AND r.amount BETWEEN $3::numeric AND $4::numeric
 *              ORDER BY r.amount LIMIT 2001) r
 *      ORDER BY r.updated_at DESC, r.created_at DESC, r.id DESC LIMIT 51) p
 *  WHERE (SELECT condition FROM few) = 1)
 * ```
 */
export const fewMatches = (plan: PartPlan, records: number): readonly FewMatches[] => {
  const { table, place, own, filtered, pipelines } = plan;
  const limit = records + 1;
  return filtered
    .filter(({ countingOrder }) => countingOrder !== null)
    .slice(0, maxCounted)
    .map((condition) => {
      const { branches, countingOrder } = condition;
      const where = branches === null ? [...place, condition.sql] : place;
      const read: TableRead = { table, where, order: countingOrder ?? creationOrder, limit };
      const rows = unionSql(read, [...(branches === null ? [] : [branches]), ...pipelines]);
      const others = filtered.filter((other) => other !== condition).map(({ sql, check = sql }) => check);
      const further = [...own.conditions, ...emptySlotCondition(plan), ...others];
      const source = `FROM ${rows}${further.length === 0 ? '' : ` WHERE ${further.join(' AND ')}`}`;
      return { count: countOfSql(rows, limit), source };
    });
};

/**
 * Hides conditions from the planner, which has no statistics on them. For an `OR`, it would expect half of the records to match, and choose
 * a scan in one process. For an equality with an expression, such as `CASE … END = 1`, it expects one record in two hundred.
 */
const hideFromPlanner = (conditions: readonly string[]): string =>
  `CASE WHEN ${conditions.join(' AND ')} THEN 1 END = 1`;

/**
 * The conditions on all matches: organization, pipeline, stage, words and filters. Summaries use them too.
 *
 * @param others - further conditions on the records
 */
export const matchConditions = (
  { objectType, pipelineId }: PartPlan['request'],
  place: readonly string[],
  filtered: readonly Condition[],
  others: readonly string[] = [],
): string[] => {
  const matches = filtered.map(({ sql }) => sql);
  const isHidden = matches.length > 0 && filtered.every(hasNoIndex);
  // The indexes of opportunities start with the pipeline.
  const isOfAnyPipeline =
    pipelineId === null && objectType === 'opportunity' && filtered.some(({ countingOrder }) => countingOrder !== null);
  return [
    ...place,
    ...others,
    ...(isOfAnyPipeline ? [`r.pipeline_id = ANY (ARRAY(${pipelineIdsSql}))`] : []),
    ...(isHidden ? [hideFromPlanner(matches)] : matches),
  ];
};

/**
 * Finds all matches and sorts them. It uses the indexes of the conditions, or reads the whole table if they have none. `OFFSET 0` stops
 * the planner from scanning in page order instead, in the hope of early matches.
 *
 * Example of sort-matches: an index:
 * `{"pipeline":"Sales","filters":{"field":"amount","operator":"between","value":[100,200]},"sort":"updated_at:desc"}`
 *
 * ```sql
 * SELECT r.record AS record, r.updated_at AS key_1, r.created_at AS key_2, r.id AS key_3
 *  FROM (SELECT r.* FROM opportunities r
 *         WHERE r.organization_id = $1 AND r.pipeline_id = $2::uuid AND r.amount BETWEEN $3::numeric AND $4::numeric OFFSET 0) r
 *  ORDER BY r.updated_at DESC, r.created_at DESC, r.id DESC LIMIT 51
 * ```
 *
 * Example of sort-matches: no index:
 * `{"pipeline":"Sales","filters":{"field":"next_step","operator":"contains","value":"call"},"sort":"updated_at:desc"}`
 *
 * ```sql
 * SELECT r.record AS record, r.updated_at AS key_1, r.created_at AS key_2, r.id AS key_3
 *  FROM (SELECT r.* FROM opportunities r WHERE r.organization_id = $1 AND r.pipeline_id = $2::uuid
 *     AND CASE WHEN (strpos((r.normalized->>'next_step') COLLATE "C", $3::text) > 0) THEN 1 END = 1 OFFSET 0) r
 *  ORDER BY r.updated_at DESC, r.created_at DESC, r.id DESC LIMIT 51
 * ```
 */
export const sortMatchesSql = (plan: PartPlan): string => {
  const others = [...plan.own.conditions, ...emptySlotCondition(plan)];
  const where = matchConditions(plan.request, plan.place, plan.filtered, others);
  return `FROM (SELECT r.* FROM ${plan.table} r WHERE ${where.join(' AND ')} OFFSET 0) r`;
};
