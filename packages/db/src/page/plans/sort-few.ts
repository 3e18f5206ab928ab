import { tables } from '../fields/record-sql.js';
import { type Condition, conditionsOf } from '../filter/conditions.js';
import { mergedSql, type TableRead } from './branches.js';
import { countOfSql } from './counts.js';
import { pipelineBranches } from './merge-pipelines.js';
import { emptySlotCondition, pipelineSql, type Reading } from './reading.js';

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
 * Example: one condition, without the steps that follow if it has more matches:
 * `{"pipeline":"Sales","filters":{"field":"amount","operator":"between","value":[100,200]},"sort":"updated_at:desc"}`
 *
 * ```sql
 * WITH few AS MATERIALIZED (
 *   SELECT CASE WHEN (
 *     SELECT count(*)
 *       FROM (
 *         SELECT FROM (
 *             SELECT r.*
 *               FROM opportunities r
 *              WHERE r.organization_id = $1 AND r.pipeline_id = $2::uuid AND r.amount BETWEEN $3::numeric AND $4::numeric
 *              ORDER BY r.amount
 *              LIMIT 2001
 *         ) r
 *          LIMIT 2001
 *     ) c
 *   ) <= 2000 THEN 1 ELSE 0 END AS condition
 * )
 * (SELECT * FROM (
 *     SELECT r.record AS record, r.updated_at AS key_1, r.created_at AS key_2, r.id AS key_3
 *       FROM (
 *         SELECT r.*
 *           FROM opportunities r
 *          WHERE r.organization_id = $1 AND r.pipeline_id = $2::uuid AND r.amount BETWEEN $3::numeric AND $4::numeric
 *          ORDER BY r.amount
 *          LIMIT 2001
 *     ) r
 *      ORDER BY r.updated_at DESC, r.created_at DESC, r.id DESC
 *      LIMIT 51
 *   ) p WHERE (SELECT condition FROM few) = 1)
 * ```
 */
export const fewMatches = (reading: Reading, records: number): readonly FewMatches[] => {
  const { request, part, scope } = reading;
  const conditions = conditionsOf(request, part.keys);
  const texts = new Map<Condition, string>();
  /** The SQL of a condition, generated on first use: PostgreSQL rejects a parameter that no text uses. */
  const textOf = (condition: Condition): string => {
    const text = texts.get(condition) ?? condition.sql(scope);
    texts.set(condition, text);
    return text;
  };
  const pipeline = pipelineSql(reading);
  return conditions
    .flatMap((condition) => (condition.counting === null ? [] : [{ condition, counting: condition.counting }]))
    .slice(0, maxCounted)
    .map(({ condition, counting: { branches, order } }) => {
      const own = branches === null ? [textOf(condition)] : [];
      const read: TableRead = {
        ...{ table: tables[request.objectType], where: ['r.organization_id = $1', ...pipeline, ...own] },
        ...{ order, limit: records + 1 },
      };
      const rows = mergedSql(
        read,
        [...(branches === null ? [] : [branches]), ...pipelineBranches(request)],
        scope.parameters,
      );
      const others = conditions.filter((other) => other !== condition).map(textOf);
      const where = [...part.conditions, ...emptySlotCondition(reading), ...others];
      return {
        count: countOfSql(rows, records + 1),
        source: `FROM ${rows}${where.length === 0 ? '' : ` WHERE ${where.join(' AND ')}`}`,
      };
    });
};
