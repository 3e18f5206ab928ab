import { type CursorPosition, maxPageBytes, type ObjectType } from '@crm/domain';
import { recordColumn } from '../connection/values.js';
import type { Queries } from '../database.js';
import { bytesWithin, preparedLimitTo } from '../page/bound.js';
import { type Page, recordsWithinBytes } from '../page/list-page.js';
import { Parameters } from '../page/parameters.js';
import { tables } from '../page/fields/record-sql.js';
import { eventJson } from './event-sql.js';

/** A page of a record's events to read, newest first. */
export interface HistoryRequest {
  readonly organizationId: string;
  readonly objectType: ObjectType;
  readonly id: string;
  /** The position of the last event of the previous page. */
  readonly position: CursorPosition | null;
  readonly limit: number;
}

interface HistoryRow {
  readonly position: string;
  /** Null for an event beyond the page's byte limit. */
  readonly [recordColumn]: Buffer | null;
}

/** Reads a page of a record's events in one statement. The index on (organization_id, object, record_id, position) serves it. */
export const readHistory = async (database: Queries, request: HistoryRequest): Promise<Page> => {
  const parameters = new Parameters();
  const where = [
    'e.organization_id = $1',
    `e.object = ${parameters.add(request.objectType)}`,
    `e.record_id = ${parameters.add(request.id)}::uuid`,
  ];
  if (request.position !== null) where.push(`e.position < ${parameters.add(request.position[0])}::bigint`);
  const count = request.limit + 1;
  const bound = preparedLimitTo(count, `${parameters.add(count)}::bigint`);
  const page = bound(
    `SELECT e.position, ${eventJson} AS record FROM events e WHERE ${where.join(' AND ')} ORDER BY e.position DESC`,
  );
  const text = `
    SELECT s.position, CASE WHEN ${bytesWithin(`${parameters.add(maxPageBytes)}::bigint`).isWithin} THEN s.record END AS ${recordColumn}
      FROM (${page}) s WINDOW w AS (ORDER BY s.position DESC ROWS UNBOUNDED PRECEDING)
     ORDER BY s.position DESC`;
  const statement = { text, values: parameters.values, isPrepared: true };
  const rows = await database.query<HistoryRow & Record<string, unknown>>(request.organizationId, statement);
  const records = recordsWithinBytes(rows.slice(0, request.limit));
  const last = rows[records.length - 1];
  const isLast = records.length === rows.length || last === undefined;
  return { records, nextPosition: isLast ? null : [last.position] };
};

/** Whether the record exists. */
export const hasRecord = async (
  database: Queries,
  organizationId: string,
  objectType: ObjectType,
  id: string,
): Promise<boolean> => {
  const text = `SELECT FROM ${tables[objectType]} WHERE organization_id = $1 AND id = $2`;
  return (await database.query(organizationId, { text, values: [id], isPrepared: true })).length > 0;
};
