import { type EventObject, type EventType, Failure, maxPageBytes } from '@crm/domain';
import { recordColumn } from '../connection/values.js';
import type { Queries } from '../database.js';
import { bytesWithin } from '../page/list-page.js';
import { Parameters } from '../page/parameters.js';
import { eventBytes, eventJson, passesChanged } from './event-sql.js';

/** Which events of the log to read. */
export interface EventFilter {
  readonly object: EventObject | null;
  readonly type: EventType | null;
  readonly recordId: string | null;
  /** Fields as in `changed` of events. Only events that {@link passesChanged}. Empty for all. */
  readonly changed: readonly string[];
}

/** A page of the log to read, oldest first. */
export interface EventPageRequest extends EventFilter {
  readonly organizationId: string;
  /** The position after which the page starts. Null to start at the oldest retained event. */
  readonly after: number | null;
  /** The logs that `after` is a position of, as far as the caller knows. */
  readonly logIds: readonly string[];
  readonly limit: number;
}

/** A page of the log. */
export interface EventPage {
  /** Events as JSON, in one buffer with commas between them. Empty if there are none. */
  readonly events: readonly Buffer[];
  /** The position up to which the log was read. With filters, this includes events that did not match. */
  readonly nextPosition: number;
  readonly lastPosition: number;
  readonly oldestPosition: number;
  readonly logId: string;
}

/** The state of the log when a page was read, and what is needed to detect missing events. */
interface Head {
  readonly after: number;
  readonly last: number;
  readonly oldest: number;
  readonly log_id: string;
  readonly is_empty: boolean;
  /** For a filtered page, the number of all events in the range that was read. */
  readonly present: number | null;
}

/** The only row of a page. */
interface EventRow {
  readonly head: Head;
  /** The number of events, and of those within the page's byte limit. */
  readonly found: number;
  readonly shown: number;
  /** The position of the last event within the byte limit. Only for filtered pages. Without a filter, positions are consecutive. */
  readonly position: string | null;
  /** The events within the byte limit with commas between them; null if there are none. */
  readonly [recordColumn]: Buffer | null;
}

/** The number of positions that a filtered page scans. It limits the time of a statement with a rare filter over a long log. */
const scannedPositions = 10_000;

/** Whether events may be missing from a page because of its filter. */
export const isFilteredPage = ({ object, type, recordId, changed }: EventFilter): boolean =>
  object !== null || type !== null || recordId !== null || changed.length > 0;

const inRange = (table: string, positions: string): string =>
  `${table}.organization_id = $1 AND ${table}.position > h.after AND ${table}.position <= h.after + ${positions}`;

/**
 * `GET /v1/events?after=41&object=account` reads head and page in one statement, so that both are from the same snapshot. PAGE is the
 * following statement, whose events are joined, which spares the driver a message for each:
 *
 *     SELECT string_agg(p.record_bytes, ',') AS record_bytes, …, (array_agg(p.head))[1] AS head FROM (PAGE) p
 *
 *     SELECT CASE WHEN … THEN … END AS record_bytes, e.position, CASE WHEN row_number() OVER w = 1 THEN … END AS head
 *       FROM (SELECT …, coalesce($2, oldest_position - 1) AS after, log_id() FROM event_heads …) h
 *       LEFT JOIN LATERAL (SELECT e.* FROM events e WHERE … e.position > h.after AND e.position <= h.after + 10000
 *                             AND e.object = $4 ORDER BY e.position LIMIT 100) e ON true
 *     WINDOW w AS (ORDER BY e.position ROWS UNBOUNDED PRECEDING) ORDER BY e.position
 *
 * Positions have no gaps, so a range of positions limits the page. Only filtered pages need a LIMIT. It is part of the SQL, because the
 * planner would assume that a parameter returns a tenth of the range. Only the JSON of events within the
 * byte limit is built, and only after the rows are sorted: sorting the JSON of a long page would write it to a temporary file.
 */
const pageStatement = (request: EventPageRequest) => {
  const parameters = new Parameters();
  const after = `${parameters.add(request.after)}::bigint`;
  const filtered = isFilteredPage(request);
  const positions = `${parameters.add(filtered ? scannedPositions : request.limit)}::bigint`;
  const where = [inRange('e', positions)];
  if (request.object !== null) where.push(`e.object = ${parameters.add(request.object)}`);
  if (request.type !== null) where.push(`e.type = ${parameters.add(request.type)}`);
  if (request.recordId !== null) where.push(`e.record_id = ${parameters.add(request.recordId)}::uuid`);
  if (request.changed.length > 0) where.push(passesChanged(parameters.add(request.changed)));
  const found = `SELECT e.* FROM events e WHERE ${where.join(' AND ')}`;
  const page = filtered ? `${found} ORDER BY e.position LIMIT ${request.limit}` : found;
  const { isWithin } = bytesWithin(`${parameters.add(maxPageBytes)}::bigint`, eventBytes);
  const present = filtered ? `(SELECT count(*) FROM events c WHERE ${inRange('c', positions)})` : 'NULL';
  return parameters.statement(`
    SELECT string_agg(p.${recordColumn}, ',') AS ${recordColumn}, (array_agg(p.head))[1] AS head, count(*)::int AS found,
           count(p.${recordColumn})::int AS shown, max(p.position) FILTER (WHERE p.${recordColumn} IS NOT NULL) AS position FROM (
    SELECT CASE WHEN ${isWithin} THEN ${eventJson} END AS ${recordColumn}, ${filtered ? 'e.position' : 'NULL'} AS position,
           CASE WHEN row_number() OVER w = 1 THEN json_build_object(
             'after', h.after, 'last', h.last_position, 'oldest', h.oldest_position, 'log_id', h.log_id,
             'is_empty', e.position IS NULL, 'present', ${present}) END AS head
      FROM (SELECT coalesce(max(d.position), 0) AS last_position, coalesce(max(d.oldest_position), 1) AS oldest_position,
                   coalesce(${after}, max(d.oldest_position) - 1, 0) AS after, log_id() AS log_id
              FROM event_heads d WHERE d.organization_id = $1) h
      LEFT JOIN LATERAL (${page}) e ON true
    WINDOW w AS (ORDER BY e.position ROWS UNBOUNDED PRECEDING)
     ORDER BY e.position) p`);
};

/**
 * The first position after which the log has no gap. It is needed if events are missing in the middle, for example after a partition was
 * removed by hand. Reads the whole log of the organization.
 */
const findDenseFrom = async (database: Queries, organizationId: string): Promise<number> => {
  const text = `
    SELECT max(e.position) AS oldest FROM (
      SELECT position, lag(position) OVER (ORDER BY position) AS before FROM events WHERE organization_id = $1) e
     WHERE e.before IS DISTINCT FROM e.position - 1`;
  const [row] = await database.query<{ oldest: string | null }>(organizationId, { text, values: [] });
  return Number(row?.oldest ?? 1);
};

/**
 * Reads a page of the change log in one statement. A page ends early when its events reach `maxPageBytes`.
 * @throws Failure `log_changed` if the position belongs to another log, `position_ahead` if the log has not reached it, `events_expired`
 *   if events after it are missing
 */
export const readEvents = async (database: Queries, request: EventPageRequest): Promise<EventPage> => {
  const { organizationId, limit } = request;
  const [row] = await database.query<EventRow & Record<string, unknown>>(organizationId, pageStatement(request));
  if (row === undefined) throw new Error('The statement returned no head of the log');
  const { head, shown, [recordColumn]: joined } = row;
  const { after, last: lastPosition, oldest: oldestPosition } = head;
  if (request.logIds.some((logId) => logId !== head.log_id)) {
    throw new Failure({ kind: 'log_changed', logId: head.log_id });
  }
  if (after > lastPosition) throw new Failure({ kind: 'position_ahead', lastPosition });
  if (after + 1 < oldestPosition) throw new Failure({ kind: 'events_expired', oldestPosition });
  const found = head.is_empty ? 0 : row.found;
  const rangeEnd = Math.min(lastPosition, after + (isFilteredPage(request) ? scannedPositions : limit));
  if ((head.present ?? found) !== rangeEnd - after) {
    throw new Failure({ kind: 'events_expired', oldestPosition: await findDenseFrom(database, organizationId) });
  }
  const isCut = shown < found || (isFilteredPage(request) && shown === limit);
  const nextPosition = isCut ? Number(row.position ?? after + shown) : rangeEnd;
  return { events: joined === null ? [] : [joined], nextPosition, lastPosition, oldestPosition, logId: head.log_id };
};
