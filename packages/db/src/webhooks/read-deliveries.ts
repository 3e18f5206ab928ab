import { recordColumn } from '../connection/values.js';
import type { Queries } from '../database.js';
import { eventBytes, eventJson, mergedFrom, mergedInto, passesChanged } from '../events/event-sql.js';
import { instantText } from '../page/order.js';
import { bytesWithin } from '../page/list-page.js';
import type { EventRecord } from './deliveries.js';

/** Which events to read for an endpoint. */
export interface DeliveryRequest {
  readonly organizationId: string;
  readonly after: number;
  /** The last position to read; null for the end of the log. */
  readonly until: number | null;
  /** Empty for all. */
  readonly objects: readonly string[];
  /** Empty for all. */
  readonly types: readonly string[];
  /** Fields of which `updated` events must have changed one, as in `changed` of events. Empty for all. */
  readonly changed: readonly string[];
  /** Reads only the events of this record; null for all. */
  readonly record: EventRecord | null;
  /** The endpoint whose parked records to mark. */
  readonly webhookId: string;
  /** Reads one event only. */
  readonly isProbe: boolean;
}

/** An event to send. */
export interface EventToSend {
  readonly id: string;
  readonly position: number;
  readonly type: string;
  readonly object: string;
  readonly recordId: string;
  readonly version: number;
  readonly occurredAt: string;
  /** The W3C trace context of the write; null if it was not traced. */
  readonly traceparent: string | null;
  /** The names of the changed fields. */
  readonly changed: readonly string[];
  /** Of the deletion of a merged record, the record that it was merged into. */
  readonly mergedInto: string | null;
  /** Of a `merged` event, the record that was merged into its record. */
  readonly mergedFrom: string | null;
  /** Whether it waits for an event of its record that was not delivered. */
  readonly isParked: boolean;
  /** As `GET /v1/events` returns it. */
  readonly json: Buffer;
}

/** Events to send, oldest first. */
export interface Deliveries {
  readonly events: readonly EventToSend[];
  /** The position up to which the log was read. */
  readonly nextPosition: number;
  /** How many of the positions that were read have no event, because retention deleted them. For a record: the first positions. */
  readonly expired: number;
  readonly logId: string;
}

const pageEvents = 100;
const pageBytes = 1_000_000;
/** How many positions one statement reads if most of its events do not fit the filter. */
const scannedPositions = 1_000;

interface Row {
  readonly head: { readonly end: number; readonly expired: number; readonly log_id: string } | null;
  readonly id: string | null;
  readonly position: string;
  readonly type: string;
  readonly object: string;
  readonly recordId: string;
  readonly version: number;
  readonly occurredAt: string;
  readonly traceparent: string | null;
  readonly changed: readonly string[];
  readonly mergedInto: string | null;
  readonly mergedFrom: string | null;
  readonly isParked: boolean;
  readonly [recordColumn]: Buffer | null;
}

const { isWithin } = bytesWithin(String(pageBytes), eventBytes);

/** How many positions have no event. Every position had one, so those without are expired. */
const expiredSql = `h.range_end - $2::bigint
  - (SELECT count(*) FROM events c WHERE c.organization_id = $1 AND c.position > $2 AND c.position <= h.range_end)`;
/** The same for the first positions only: the later ones are those of other records. */
const firstExpiredSql = `least(h.range_end,
  coalesce((SELECT min(c.position) FROM events c WHERE c.organization_id = $1 AND c.position > $2) - 1, h.range_end)) - $2::bigint`;

const deliveriesSql = (isOfRecord: boolean, isProbe: boolean): string => `
  SELECT p.id, p.position, p.type, p.object, p.record_id AS "recordId", p.version, p.occurred_at AS "occurredAt", p.traceparent,
         p.changed, p.merged_into AS "mergedInto", p.merged_from AS "mergedFrom", p.is_parked AS "isParked", p.${recordColumn}, CASE WHEN row_number() OVER (ORDER BY p.position) = 1 THEN json_build_object(
           'end', h.range_end, 'log_id', h.log_id, 'expired', ${isOfRecord ? firstExpiredSql : expiredSql}) END AS head
    FROM (SELECT greatest($2::bigint, least(coalesce(max(d.position), 0), $3::bigint${isOfRecord ? '' : `, $2::bigint + ${scannedPositions}`})) AS range_end,
                 log_id() AS log_id FROM event_heads d WHERE d.organization_id = $1) h
    LEFT JOIN LATERAL (
      SELECT e.id, e.position, e.type, e.object, e.record_id, e.version, ${instantText('e.occurred_at')} AS occurred_at, e.traceparent, e.changed,
             ${mergedInto} AS merged_into, ${mergedFrom} AS merged_from,
             EXISTS (SELECT 1 FROM webhook_parked q WHERE q.organization_id = $1 AND q.endpoint_id = $7 AND q.object = e.object
                        AND q.record_id = e.record_id AND q.position <= e.position) AS is_parked,
             CASE WHEN ${isWithin} THEN ${eventJson} END AS ${recordColumn}
        FROM (
          SELECT e.* FROM events e
           WHERE e.organization_id = $1 AND e.position > $2 AND e.position <= h.range_end
             AND (cardinality($4::text[]) = 0 OR e.object = ANY ($4)) AND (cardinality($5::text[]) = 0 OR e.type = ANY ($5))
             AND (cardinality($6::text[]) = 0 OR ${passesChanged('$6')})
             ${isOfRecord ? 'AND e.object = $8 AND e.record_id = $9::uuid' : ''}
           ORDER BY e.position LIMIT ${isProbe ? 1 : pageEvents}) e
      WINDOW w AS (ORDER BY e.position ROWS UNBOUNDED PRECEDING)) p ON true
   ORDER BY p.position`;

/** Reads the next events for an endpoint: at most 100, or 1 MB, or those of 1,000 positions. */
export const readDeliveries = async (database: Queries, request: DeliveryRequest): Promise<Deliveries> => {
  const { organizationId, after, until, objects, types, changed, record, webhookId, isProbe } = request;
  const ofRecord = record === null ? [] : [record.object, record.record_id];
  const rows = await database.query<Row & Record<string, unknown>>(organizationId, {
    text: deliveriesSql(record !== null, isProbe),
    values: [after, until, objects, types, changed, webhookId, ...ofRecord],
  });
  const head = rows[0]?.head ?? null;
  if (head === null) throw new Error('The statement returned no head of the log');
  const events = rows.flatMap(({ id, position, [recordColumn]: json, ...event }) =>
    id === null || json === null ? [] : [{ ...event, id, position: Number(position), json }],
  );
  const found = rows[0]?.id === null ? 0 : rows.length;
  const isCut = found === (isProbe ? 1 : pageEvents) || events.length < found;
  const nextPosition = isCut ? (events.at(-1)?.position ?? after) : head.end;
  return { events, nextPosition, expired: head.expired, logId: head.log_id };
};
