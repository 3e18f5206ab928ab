import { type EventObject, type EventType, Failure, maxPageBytes } from '@crm/domain';
import { recordColumn } from '../connection/values.js';
import type { Queries } from '../database.js';
import { bytesWithin, preparedLimitTo } from '../page/bound.js';
import { recordsWithinBytes } from '../page/list-page.js';
import { Parameters } from '../page/parameters.js';
import { eventJson } from './event-sql.js';

/** Which events of the log are read. */
export interface EventFilter {
  readonly object: EventObject | null;
  readonly type: EventType | null;
  readonly recordId: string | null;
}

/** A page of the log to read, oldest first. */
export interface EventPageRequest extends EventFilter {
  readonly organizationId: string;
  /** Null for a page that begins at the oldest retained event. */
  readonly after: number | null;
  readonly limit: number;
}

/** A page of the log. */
export interface EventPage {
  /** Events as JSON. */
  readonly events: readonly Buffer[];
  /** Up to where the log was read, with filters past the events that they left out. */
  readonly nextPosition: number;
  readonly lastPosition: number;
  readonly oldestPosition: number;
  readonly logId: string;
}

/** What a page is judged by. */
interface Head {
  readonly after: number;
  readonly last: number;
  readonly oldest: number;
  readonly log_id: string;
  readonly is_empty: boolean;
  /** Of a filtered page: how many events there are in the range that was read. */
  readonly present: number | null;
}

interface EventRow {
  /** Only in the first row, which is there for a page without events too: five columns in each row cost a third of a page. */
  readonly head: Head | null;
  /** Only of filtered pages; other positions follow one another. */
  readonly position: string | null;
  /** Null beyond the page's bound of bytes. */
  readonly [recordColumn]: Buffer | null;
}

/** How many positions a filtered page looks through, so that a rare filter over a long log takes no long statement. */
const scannedPositions = 10_000;

const isFiltered = ({ object, type, recordId }: EventFilter): boolean =>
  object !== null || type !== null || recordId !== null;

const inRange = (table: string, positions: string): string =>
  `${table}.organization_id = $1 AND ${table}.position > h.after AND ${table}.position <= h.after + ${positions}`;

/**
 * `GET /v1/events?after=41&object=account` → head and page in one statement, so that both are of one snapshot:
 *
 *     SELECT p.record_bytes, p.position, CASE WHEN row_number() OVER (ORDER BY p.position) = 1 THEN … END AS head
 *       FROM (SELECT …, coalesce($2, oldest_position - 1) AS after, log_id() FROM event_heads …) h
 *       LEFT JOIN LATERAL (SELECT … FROM events e WHERE … e.position > h.after AND e.position <= h.after + 10000
 *                             AND e.object = $4 ORDER BY e.position LIMIT 101) p ON true
 *
 * Positions have no gaps, so a range of positions bounds a page without a limit; only filtered pages need one.
 */
const pageStatement = (request: EventPageRequest) => {
  const parameters = new Parameters();
  const after = `${parameters.add(request.after)}::bigint`;
  const filtered = isFiltered(request);
  const positions = `${parameters.add(filtered ? scannedPositions : request.limit)}::bigint`;
  const where = [inRange('e', positions)];
  if (request.object !== null) where.push(`e.object = ${parameters.add(request.object)}`);
  if (request.type !== null) where.push(`e.type = ${parameters.add(request.type)}`);
  if (request.recordId !== null) where.push(`e.record_id = ${parameters.add(request.recordId)}::uuid`);
  const found = `SELECT e.position, ${eventJson} AS record FROM events e WHERE ${where.join(' AND ')}`;
  const bound = preparedLimitTo(request.limit, filtered ? `${parameters.add(request.limit)}::bigint` : '');
  // OFFSET keeps the planner from making the JSON of an event once for each use of it.
  const page = filtered ? bound(`${found} ORDER BY e.position`) : `${found} OFFSET 0`;
  const { isWithin } = bytesWithin(`${parameters.add(maxPageBytes)}::bigint`);
  const present = filtered ? `(SELECT count(*) FROM events c WHERE ${inRange('c', positions)})` : 'NULL';
  const text = `
    SELECT p.${recordColumn}, ${filtered ? 'p.position' : 'NULL'} AS position,
           CASE WHEN row_number() OVER (ORDER BY p.position) = 1 THEN json_build_object(
             'after', h.after, 'last', h.last_position, 'oldest', h.oldest_position, 'log_id', h.log_id,
             'is_empty', p.position IS NULL, 'present', ${present}) END AS head
      FROM (SELECT coalesce(max(d.position), 0) AS last_position, coalesce(max(d.oldest_position), 1) AS oldest_position,
                   coalesce(${after}, max(d.oldest_position) - 1, 0) AS after, log_id() AS log_id
              FROM event_heads d WHERE d.organization_id = $1) h
      LEFT JOIN LATERAL (
        SELECT s.position, CASE WHEN ${isWithin} THEN s.record END AS ${recordColumn}
          FROM (${page}) s WINDOW w AS (ORDER BY s.position ROWS UNBOUNDED PRECEDING)) p ON true
     ORDER BY p.position`;
  return { text, values: parameters.values, isPrepared: true };
};

/**
 * Where the log can be read from when events are missing in the middle, as after a partition was removed by hand: the position after
 * which there is no gap. Reads the whole log of the organization.
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
 * Reads a page of the change log in one statement. A page ends early where its events reach `maxPageBytes`.
 * @throws Failure `position_ahead` for a position that is not reached, `events_expired` if events after it are missing
 */
export const readEvents = async (database: Queries, request: EventPageRequest): Promise<EventPage> => {
  const { organizationId, limit } = request;
  const rows = await database.query<EventRow & Record<string, unknown>>(organizationId, pageStatement(request));
  const head = rows[0]?.head ?? null;
  if (head === null) throw new Error('The head of the log came without a row');
  const { after, last: lastPosition, oldest: oldestPosition } = head;
  if (after > lastPosition) throw new Failure({ kind: 'position_ahead', lastPosition });
  if (after + 1 < oldestPosition) throw new Failure({ kind: 'events_expired', oldestPosition });
  const found = head.is_empty ? [] : rows;
  const rangeEnd = Math.min(lastPosition, after + (isFiltered(request) ? scannedPositions : limit));
  if ((head.present ?? found.length) !== rangeEnd - after) {
    throw new Failure({ kind: 'events_expired', oldestPosition: await findDenseFrom(database, organizationId) });
  }
  const events = recordsWithinBytes(found);
  const isCut = events.length < found.length || (isFiltered(request) && events.length === limit);
  const cutAt = found[events.length - 1]?.position;
  const nextPosition = isCut ? Number(cutAt ?? after + events.length) : rangeEnd;
  return { events, nextPosition, lastPosition, oldestPosition, logId: head.log_id };
};
