import { recordColumn } from '../connection/values.js';
import type { Database, Queries } from '../database.js';
import { eventBytes, eventJson, mergedFrom, mergedInto, passesChanged } from '../events/event-sql.js';
import { instantText } from '../page/order.js';
import { bytesWithin } from '../page/list-page.js';

/** A record whose events wait for a retry. */
export interface ParkedRecord {
  readonly object: string;
  readonly record_id: string;
  /** The position of the event that failed. */
  readonly position: number;
  /** How many times it was tried. */
  readonly attempts: number;
  /** Whether its next try is due. While the endpoint is failing, only the record that was tried most often can be. */
  readonly is_due: boolean;
}

/** An endpoint that a worker has claimed. */
export interface ClaimedWebhook {
  readonly organization_id: string;
  readonly id: string;
  readonly url: string;
  readonly objects: readonly string[];
  readonly types: readonly string[];
  readonly changed: readonly string[];
  readonly payload: 'full' | 'thin';
  readonly state: 'active' | 'paused' | 'disabled';
  /** Encrypted. */
  readonly secret: string;
  /** Encrypted; null if it no longer signs. */
  readonly previous_secret: string | null;
  readonly position: number;
  readonly replay_position: number | null;
  readonly replay_until: number | null;
  readonly is_test_due: boolean;
  /** Failed attempts since the last success. */
  readonly failures: number;
  readonly is_failing: boolean;
  readonly parked: readonly ParkedRecord[];
}

/** Columns of the table webhook_attempts. */
export interface WebhookAttemptRow {
  readonly outcome: 'delivered' | 'failed' | 'expired';
  readonly events: number;
  readonly type?: string;
  readonly object?: string;
  readonly record_id?: string;
  readonly first_position?: number;
  readonly last_position?: number;
  readonly attempt?: number;
  readonly status?: number | null;
  readonly error?: string | null;
  readonly response?: string;
  readonly duration_ms?: number;
}

/** What a worker did with an endpoint, as the function `save_deliveries` takes it. */
export interface DeliveryResult {
  readonly position: number;
  /** Null if no replay was in progress. */
  readonly replay_position: number | null;
  readonly is_test_done: boolean;
  readonly failures: number;
  /** False after a success. If the endpoint was failing before, all its parked events are then due. */
  readonly is_failing: boolean;
  readonly disabled_because: string | null;
  readonly is_released: boolean;
  /** `delay_ms` until the next try; null after the last one. */
  readonly parked: readonly (Omit<ParkedRecord, 'is_due'> & { delay_ms: number | null; error: string | null })[];
  /** Parked records that have no event left to send. */
  readonly delivered: readonly Pick<ParkedRecord, 'object' | 'record_id'>[];
  readonly attempts: readonly WebhookAttemptRow[];
}

/** How many records of an endpoint may be parked. Then the endpoint's position stops until one was delivered. */
export const maxParked = 100;

/** Not a statement of one organization: a worker looks at the endpoints of all of them, once per second and in one statement. */
const dueSql = `
  SELECT w.organization_id AS "organizationId", w.id FROM webhook_endpoints w
    LEFT JOIN event_heads h ON h.organization_id = w.organization_id
   WHERE (w.claimed_until IS NULL OR w.claimed_until < clock_timestamp())
     AND (w.is_test_due OR w.state = 'active' AND (w.retry_at <= clock_timestamp() OR NOT w.is_failing AND w.parked < ${maxParked}
       AND (h.position > w.position OR w.replay_position < w.replay_until)))
   ORDER BY w.claimed_until NULLS FIRST LIMIT 100`;

/** An endpoint with something to do. */
export interface DueWebhook {
  readonly organizationId: string;
  readonly id: string;
}

/** Finds endpoints that have something to send and that no worker has claimed, at most 100, the longest unclaimed first. */
export const findDueWebhooks = (database: Database): Promise<DueWebhook[]> =>
  database.queryServer<DueWebhook>({ text: dueSql, values: [] });

/** Extends the claims of a worker. Not a statement of one organization. */
export const extendClaims = async (database: Database, workerId: string): Promise<void> => {
  const text = `UPDATE webhook_endpoints SET claimed_until = clock_timestamp() + interval '30 seconds'
    WHERE claimed_by = $1 AND claimed_until > clock_timestamp()`;
  await database.queryServer({ text, values: [workerId] });
};

/** Claims an endpoint for half a minute. @returns null if another worker has it, or if it no longer exists */
export const claimWebhook = async (
  database: Queries,
  { organizationId, id }: DueWebhook,
  workerId: string,
): Promise<ClaimedWebhook | null> => {
  const statement = { text: 'SELECT claim_webhook($1, $2, $3) AS webhook', values: [id, workerId] };
  const [row] = await database.query<{ webhook: ClaimedWebhook | null }>(organizationId, statement);
  return row?.webhook ?? null;
};

/** Stores what a worker did. @returns false if the worker no longer has the endpoint; then nothing was stored */
export const saveDeliveries = async (
  database: Queries,
  { organizationId, id }: DueWebhook,
  workerId: string,
  result: DeliveryResult,
): Promise<boolean> => {
  const text = 'SELECT save_deliveries($1, $2, $3, $4) AS saved';
  const statement = { text, values: [id, workerId, JSON.stringify(result)] };
  const [row] = await database.query<{ saved: boolean }>(organizationId, statement);
  return row?.saved === true;
};

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
  readonly record: Pick<ParkedRecord, 'object' | 'record_id'> | null;
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
  /** As `GET /v1/events` returns it. */
  readonly json: Buffer;
}

/** Events to send, oldest first. */
export interface Deliveries {
  readonly events: readonly EventToSend[];
  /** The position up to which the log was read. */
  readonly nextPosition: number;
  /** How many of the positions that were read have no event, because retention deleted them. */
  readonly expired: number;
  readonly logId: string;
}

const pageEvents = 100;
const pageBytes = 1_000_000;
/** How many positions one statement reads if most of its events do not fit the filter. */
const scannedPositions = 1_000;

interface Row {
  readonly head: { readonly end: number; readonly present: number; readonly log_id: string } | null;
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
  readonly [recordColumn]: Buffer | null;
}

const { isWithin } = bytesWithin(String(pageBytes), eventBytes);

const deliveriesSql = (isOfRecord: boolean): string => `
  SELECT p.id, p.position, p.type, p.object, p.record_id AS "recordId", p.version, p.occurred_at AS "occurredAt", p.traceparent, p.changed,
         p.merged_into AS "mergedInto", p.merged_from AS "mergedFrom",
         p.${recordColumn}, CASE WHEN row_number() OVER (ORDER BY p.position) = 1 THEN json_build_object(
           'end', h.range_end, 'log_id', h.log_id, 'present', ${
             isOfRecord
               ? 'h.range_end - $2::bigint'
               : '(SELECT count(*) FROM events c WHERE c.organization_id = $1 AND c.position > $2 AND c.position <= h.range_end)'
           }) END AS head
    FROM (SELECT greatest($2::bigint, least(coalesce(max(d.position), 0), $3::bigint${isOfRecord ? '' : `, $2::bigint + ${scannedPositions}`})) AS range_end,
                 log_id() AS log_id FROM event_heads d WHERE d.organization_id = $1) h
    LEFT JOIN LATERAL (
      SELECT e.id, e.position, e.type, e.object, e.record_id, e.version, ${instantText('e.occurred_at')} AS occurred_at, e.traceparent, e.changed,
             ${mergedInto} AS merged_into, ${mergedFrom} AS merged_from,
             CASE WHEN ${isWithin} THEN ${eventJson} END AS ${recordColumn}
        FROM (
          SELECT e.* FROM events e
           WHERE e.organization_id = $1 AND e.position > $2 AND e.position <= h.range_end
             AND (cardinality($4::text[]) = 0 OR e.object = ANY ($4)) AND (cardinality($5::text[]) = 0 OR e.type = ANY ($5))
             AND (cardinality($6::text[]) = 0 OR ${passesChanged('$6')})
             ${isOfRecord ? 'AND e.object = $7 AND e.record_id = $8::uuid' : ''}
           ORDER BY e.position LIMIT ${pageEvents}) e
      WINDOW w AS (ORDER BY e.position ROWS UNBOUNDED PRECEDING)) p ON true
   ORDER BY p.position`;

/** Reads the next events for an endpoint: at most 100, or 1 MB, or those of 1,000 positions. */
export const readDeliveries = async (database: Queries, request: DeliveryRequest): Promise<Deliveries> => {
  const { organizationId, after, until, objects, types, changed, record } = request;
  const values = [after, until, objects, types, changed, ...(record === null ? [] : [record.object, record.record_id])];
  const rows = await database.query<Row & Record<string, unknown>>(organizationId, {
    text: deliveriesSql(record !== null),
    values,
  });
  const head = rows[0]?.head ?? null;
  if (head === null) throw new Error('The statement returned no head of the log');
  const events = rows.flatMap(({ id, position, [recordColumn]: json, ...event }) =>
    id === null || json === null ? [] : [{ ...event, id, position: Number(position), json }],
  );
  const found = rows[0]?.id === null ? 0 : rows.length;
  const isCut = found === pageEvents || events.length < found;
  const nextPosition = isCut ? (events.at(-1)?.position ?? after) : head.end;
  return { events, nextPosition, expired: head.end - after - head.present, logId: head.log_id };
};
