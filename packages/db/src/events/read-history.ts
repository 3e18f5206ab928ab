import { type CursorPosition, maxPageBytes, type ObjectType } from '@crm/domain';
import { recordColumn } from '../connection/values.js';
import type { Queries } from '../database.js';
import { bytesWithin, type Page, recordsWithinBytes } from '../page/list-page.js';
import { Parameters } from '../page/parameters.js';
import { eventBytes, eventJson } from './event-sql.js';

/** A page of a record's events to read, newest first. */
export interface HistoryRequest {
  readonly organizationId: string;
  readonly objectType: ObjectType;
  readonly id: string;
  /** The position of the last event of the previous page. */
  readonly position: CursorPosition | null;
  readonly limit: number;
}

/** A page of a record's events. */
export interface HistoryPage extends Page {
  readonly logId: string;
}

interface HistoryRow {
  /** Only in the first row. A page without events has one row. */
  readonly logId: string | null;
  /** Null for a page without events. */
  readonly position: string | null;
  /** Null for an event beyond the page's byte limit. */
  readonly [recordColumn]: Buffer | null;
}

/**
 * Reads a page of the retained events of a record in one statement. The index on (organization_id, object, record_id, position) serves it.
 * Expired events may still be stored, so the page ends at the oldest retained position:
 *
 *     SELECT e.position, CASE WHEN … THEN … END AS record_bytes, CASE WHEN row_number() OVER w = 1 THEN h.log_id END AS "logId"
 *       FROM (SELECT …, log_id() FROM event_heads …) h
 *       LEFT JOIN LATERAL (SELECT e.* FROM events e WHERE … e.position >= h.oldest_position ORDER BY e.position DESC LIMIT 101) e ON true
 *     WINDOW w AS (ORDER BY e.position DESC ROWS UNBOUNDED PRECEDING) ORDER BY e.position DESC
 */
export const readHistory = async (database: Queries, request: HistoryRequest): Promise<HistoryPage> => {
  const parameters = new Parameters();
  const where = [
    'e.organization_id = $1',
    `e.object = ${parameters.add(request.objectType)}`,
    `e.record_id = ${parameters.add(request.id)}::uuid`,
    'e.position >= h.oldest_position',
  ];
  if (request.position !== null) where.push(`e.position < ${parameters.add(request.position[0])}::bigint`);
  const page = `SELECT e.* FROM events e WHERE ${where.join(' AND ')} ORDER BY e.position DESC LIMIT ${request.limit + 1}`;
  const { isWithin } = bytesWithin(`${parameters.add(maxPageBytes)}::bigint`, eventBytes);
  const statement = parameters.statement(`
    SELECT e.position, CASE WHEN ${isWithin} THEN ${eventJson} END AS ${recordColumn},
           CASE WHEN row_number() OVER w = 1 THEN h.log_id END AS "logId"
      FROM (SELECT coalesce(max(d.oldest_position), 1) AS oldest_position, log_id() AS log_id
              FROM event_heads d WHERE d.organization_id = $1) h
      LEFT JOIN LATERAL (${page}) e ON true
    WINDOW w AS (ORDER BY e.position DESC ROWS UNBOUNDED PRECEDING)
     ORDER BY e.position DESC`);
  const rows = await database.query<HistoryRow & Record<string, unknown>>(request.organizationId, statement);
  const logId = rows[0]?.logId ?? null;
  if (logId === null) throw new Error('The id of the log came without a row');
  const found = rows.filter(({ position }) => position !== null);
  const records = recordsWithinBytes(found.slice(0, request.limit));
  const last = found[records.length - 1];
  const isLast = records.length === found.length || last === undefined;
  return { records, nextPosition: isLast ? null : [last.position], logId };
};
