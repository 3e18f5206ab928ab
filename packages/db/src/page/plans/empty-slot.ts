import { slots } from '../fields.js';
import type { PartPlan } from '../plan.js';
import { subselect, tableRead } from './in-page-order.js';

/** With this many masks or more, they are not read one by one. Each slot is then likely empty in many records. */
const maxMasks = 200;

/**
 * Reads the records in which a slot is empty. The slot's own index is partial and lacks them, so this uses the index on `empty_slots`, a bit mask, which
 * continues in `created_at` order. The recursive query `e` steps through the distinct masks in that index, and the
 * records of each mask that has the slot's bit are read in order. It must be one statement, because a concurrent update can move a
 * record from one mask to another. With 200 masks or more, the records are read in order and filtered by `IS NULL` instead.
 *
 * Example of empty-slot: the page after a record without a value:
 * `{"pipeline":"Sales","sort":"score:asc","after":[null,"2026-01-31T12:00:00.000Z","019c1402-8100-7000-8000-000000000001"]}`
 *
 * ```sql
 * SELECT r.record AS record, NULL::float8 AS key_1, r.created_at AS key_2, r.id AS key_3 FROM (
 *   WITH RECURSIVE e (number, slots) AS (
 *     (SELECT 1 AS number, r.empty_slots FROM opportunities r
 *       WHERE r.organization_id = $1 AND r.pipeline_id = $2::uuid ORDER BY r.empty_slots LIMIT 1)
 *     UNION ALL
 *     SELECT n.* FROM e CROSS JOIN LATERAL (
 *       SELECT e.number + 1 AS number, r.empty_slots FROM opportunities r
 *        WHERE r.organization_id = $1 AND r.pipeline_id = $2::uuid AND (r.empty_slots) > (e.slots)
 *        ORDER BY r.empty_slots LIMIT 1) n
 *      WHERE e.number < 200)
 *   SELECT r.* FROM e CROSS JOIN LATERAL (
 *     SELECT r.* FROM opportunities r
 *      WHERE r.organization_id = $1 AND r.pipeline_id = $2::uuid AND (r.created_at, r.id) > ($3::timestamptz, $4::uuid)
 *        AND (r.empty_slots) = (e.slots) ORDER BY r.created_at ASC, r.id ASC LIMIT 51) r
 *    WHERE e.slots & 256 <> 0 AND NOT (SELECT count(*) FROM e) >= 200
 *   UNION ALL
 *   SELECT r.* FROM (
 *     SELECT r.* FROM opportunities r
 *      WHERE r.organization_id = $1 AND r.pipeline_id = $2::uuid AND (r.created_at, r.id) > ($3::timestamptz, $4::uuid)
 *        AND r.number_1 IS NULL AND (SELECT count(*) FROM e) >= 200 ORDER BY r.created_at ASC, r.id ASC LIMIT 51) r) r
 *  ORDER BY r.created_at ASC, r.id ASC LIMIT 51
 * ```
 */
export const emptySlotSql = (plan: PartPlan): string => {
  const { request, own, table, place } = plan;
  // The index starts with the pipeline, so each pipeline has masks of its own.
  const isEachPipeline = request.objectType === 'opportunity' && request.pipelineId === null;
  const indexed = isEachPipeline ? 'r.pipeline_id, r.empty_slots' : 'r.empty_slots';
  const [columns, found] = isEachPipeline ? ['pipeline_id, slots', 'e.pipeline_id, e.slots'] : ['slots', 'e.slots'];
  const maskAfter = (number: string, conditions: readonly string[]): string =>
    `SELECT ${number} AS number, ${indexed} FROM ${table} r WHERE ${conditions.join(' AND ')} ORDER BY ${indexed} LIMIT 1`;
  const first = maskAfter('1', place);
  const next = maskAfter('e.number + 1', [...place, `(${indexed}) > (${found})`]);
  const areMany = `(SELECT count(*) FROM e) >= ${maxMasks}`;
  const records = tableRead(plan, [...place, ...own.conditions]);
  const ofMask = subselect(records, `(${indexed}) = (${found})`);
  const ofAllMasks = subselect(records, `${own.emptySlot ?? ''} IS NULL`, areMany);
  const bit = 2 ** slots.findIndex((name) => own.emptySlot === `r.${name}`);
  return `FROM (
    WITH RECURSIVE e (number, ${columns}) AS (
      (${first}) UNION ALL SELECT n.* FROM e CROSS JOIN LATERAL (${next}) n WHERE e.number < ${maxMasks})
    SELECT r.* FROM e CROSS JOIN LATERAL ${ofMask} r WHERE e.slots & ${bit} <> 0 AND NOT ${areMany}
    UNION ALL SELECT r.* FROM ${ofAllMasks} r) r`;
};
