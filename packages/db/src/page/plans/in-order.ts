import { tables } from '../fields/record-sql.js';
import { conditionsOf } from '../filter/conditions.js';
import { partConditions, type Reading } from './reading.js';

/** All conditions on a record, starting with organization and pipeline. */
export const allConditions = (reading: Reading): string[] => [
  ...partConditions(reading),
  ...conditionsOf(reading.request, reading.part.keys).map((condition) => condition.sql(reading.scope)),
];

/**
 * Reads the table with all conditions in page order. An index serves the conditions and then continues in page order, so PostgreSQL
 * stops when the page is full. If no index has that order, PostgreSQL reads and sorts all matches.
 *
 * Example: the default list, a prepared statement: `{"pipeline":"Sales"}`
 *
 * ```sql
 * SELECT r.record AS record, r.created_at AS key_1, r.id AS key_2
 *   FROM opportunities r
 *  WHERE r.organization_id = $1 AND r.pipeline_id = $2::uuid
 *  ORDER BY r.created_at DESC, r.id DESC
 *   LIMIT 51
 * ```
 *
 * Example: the page after a cursor, with a filter whose index continues in page order:
 * `{"pipeline":"Sales","filters":{"field":"tier","operator":"eq","value":"gold"},
 *   "after":["2026-01-31T12:00:00.000Z","019c1402-8100-7000-8000-000000000001"]}`
 *
 * ```sql
 * SELECT r.record AS record, r.created_at AS key_1, r.id AS key_2
 *   FROM opportunities r
 *  WHERE r.organization_id = $1 AND (r.created_at, r.id) < ($2::timestamptz, $3::uuid)
 *    AND r.pipeline_id = $4::uuid AND r.text_1 = $5::text
 *  ORDER BY r.created_at DESC, r.id DESC
 *   LIMIT 51
 * ```
 *
 * Example: an order that no index has: `{"pipeline":"Sales","sort":["currency","name:desc"]}`
 *
 * ```sql
 * SELECT r.record AS record, left((r.normalized->>'currency') COLLATE "C", 200) COLLATE "C" AS key_1, left(r.normalized_name, 200) AS key_2, r.created_at AS key_3, r.id AS key_4
 *   FROM opportunities r
 *  WHERE r.organization_id = $1 AND r.pipeline_id = $2::uuid
 *  ORDER BY left((r.normalized->>'currency') COLLATE "C", 200) COLLATE "C" ASC, left(r.normalized_name, 200) DESC, r.created_at DESC, r.id DESC
 *   LIMIT 51
 * ```
 */
export const inOrderSql = (reading: Reading): string =>
  `FROM ${tables[reading.request.objectType]} r WHERE ${allConditions(reading).join(' AND ')}`;
