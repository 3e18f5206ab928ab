import { tables } from '../fields/record-sql.js';
import { slots } from '../fields/slots.js';
import { orderBySql } from '../order/order-by.js';
import type { PartSql } from '../order/parts.js';
import type { PageRequest } from '../page-request.js';
import { pipelineSql, type Reading } from './reading.js';

/**
 * The empty slots of a record as a bit mask. An index has exactly this expression:
 * `((r.text_1 IS NULL)::int + (r.text_2 IS NULL)::int * 2 + … + (r.number_8 IS NULL)::int * 32768)`
 */
export const emptySlotsSql = `(${slots
  .map((slot, index) => `(r.${slot} IS NULL)::int${index === 0 ? '' : ` * ${2 ** index}`}`)
  .join(' + ')})`;

/** With this many combinations of empty slots or more, they are not read one by one. Each slot is then likely empty in many records. */
const maxCombinations = 200;

/** Whether a part consists of all records with an empty slot, without further conditions. */
export const isOfEmptySlot = ({ stageId, words, filters }: PageRequest, { emptySlot }: PartSql): boolean =>
  emptySlot !== null && stageId === null && words.length === 0 && filters === null;

/**
 * Reads the records in which a slot is empty. The slot's own index is partial and lacks them, so this uses the index on the bit mask of
 * empty slots, which continues in `created_at` order. The recursive query `e` steps through the distinct masks in that index, and the
 * records of each mask that has the slot's bit are read in order. It must be one statement, because a concurrent update can move a
 * record from one mask to another. With 200 masks or more, the records are read in order and filtered by `IS NULL` instead.
 *
 * Example: the page after a record without a value. EMPTY_SLOTS stands for {@link emptySlotsSql}:
 * `{"pipeline":"Sales","sort":"score:asc","after":[null,"2026-01-31T12:00:00.000Z","019c1402-8100-7000-8000-000000000001"]}`
 *
 * ```sql
 * SELECT r.record AS record, NULL::float8 AS key_1, r.created_at AS key_2, r.id AS key_3
 *   FROM (
 *     WITH RECURSIVE e (number, slots) AS (
 *         (
 *             SELECT 1 AS number, EMPTY_SLOTS
 *               FROM opportunities r
 *              WHERE r.organization_id = $1 AND r.pipeline_id = $4::uuid
 *              ORDER BY EMPTY_SLOTS
 *              LIMIT 1
 *         )
 *         UNION ALL
 *         SELECT n.*
 *           FROM e
 *          CROSS JOIN LATERAL (
 *             SELECT e.number + 1 AS number, EMPTY_SLOTS
 *               FROM opportunities r
 *              WHERE r.organization_id = $1 AND r.pipeline_id = $4::uuid AND (EMPTY_SLOTS) > (e.slots)
 *              ORDER BY EMPTY_SLOTS
 *              LIMIT 1
 *         ) n
 *          WHERE e.number < 200
 *     )
 *     SELECT r.*
 *       FROM e
 *      CROSS JOIN LATERAL (
 *         SELECT r.*
 *           FROM opportunities r
 *          WHERE r.organization_id = $1 AND r.pipeline_id = $4::uuid AND (r.created_at, r.id) > ($2::timestamptz, $3::uuid)
 *            AND (EMPTY_SLOTS) = (e.slots)
 *          ORDER BY r.created_at ASC, r.id ASC
 *                   LIMIT 51
 *     ) r
 *      WHERE e.slots & 256 <> 0 AND NOT (SELECT count(*) FROM e) >= 200
 *     UNION ALL
 *     SELECT r.*
 *       FROM (
 *         SELECT r.*
 *           FROM opportunities r
 *          WHERE r.organization_id = $1 AND r.pipeline_id = $4::uuid AND (r.created_at, r.id) > ($2::timestamptz, $3::uuid)
 *            AND r.number_1 IS NULL AND (SELECT count(*) FROM e) >= 200
 *          ORDER BY r.created_at ASC, r.id ASC
 *                   LIMIT 51
 *     ) r
 * ) r
 *  ORDER BY r.created_at ASC, r.id ASC
 *   LIMIT 51
 * ```
 */
export const emptySlotSql = (reading: Reading): string => {
  const { request, part, limit } = reading;
  const table = tables[request.objectType];
  const place = ['r.organization_id = $1', ...pipelineSql(reading)].join(' AND ');
  const where = [place, ...part.conditions].join(' AND ');
  const bit = 2 ** slots.findIndex((name) => part.emptySlot === `r.${name}`);
  const isEachPipeline = request.objectType === 'opportunity' && request.pipelineId === null;
  const keys = (isEachPipeline ? ['r.pipeline_id', emptySlotsSql] : [emptySlotsSql]).join(', ');
  const columns = isEachPipeline ? ['pipeline_id', 'slots'] : ['slots'];
  const values = columns.map((name) => `e.${name}`).join(', ');
  const next = (number: string, condition: string): string =>
    `SELECT ${number} AS number, ${keys} FROM ${table} r WHERE ${place}${condition} ORDER BY ${keys} LIMIT 1`;
  const read = (condition: string): string =>
    `(SELECT r.* FROM ${table} r WHERE ${where} AND ${condition} ORDER BY ${orderBySql(part.keys)} LIMIT ${limit})`;
  const areMany = `(SELECT count(*) FROM e) >= ${maxCombinations}`;
  return `FROM (
    WITH RECURSIVE e (number, ${columns.join(', ')}) AS (
      (${next('1', '')}) UNION ALL
      SELECT n.* FROM e CROSS JOIN LATERAL (${next('e.number + 1', ` AND (${keys}) > (${values})`)}) n WHERE e.number < ${maxCombinations})
    SELECT r.* FROM e CROSS JOIN LATERAL ${read(`(${keys}) = (${values})`)} r WHERE e.slots & ${bit} <> 0 AND NOT ${areMany}
    UNION ALL SELECT r.* FROM ${read(`${part.emptySlot ?? ''} IS NULL AND ${areMany}`)} r) r`;
};
