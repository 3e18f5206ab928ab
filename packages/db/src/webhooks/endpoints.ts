import { type EventObject, type EventType, Failure } from '@crm/domain';
import type { Queries } from '../database.js';
import { instantText } from '../page/order.js';
import { readMarkText } from '../read-mark.js';

/** An endpoint as the API returns it, without its secret. */
export interface WebhookRow {
  readonly webhook_id: string;
  readonly url: string;
  readonly description: string | null;
  readonly objects: EventObject[];
  readonly types: EventType[];
  readonly changed: string[];
  readonly payload: 'full' | 'thin';
  readonly state: 'active' | 'paused' | 'disabled';
  readonly state_reason: string | null;
  readonly is_failing: boolean;
  readonly position: number;
  readonly last_position: number;
  readonly parked_records: number;
  readonly next_retry_at: string | null;
  readonly replay: { readonly position: number; readonly to: number } | null;
  readonly previous_secret_until: string | null;
  readonly created_at: string;
  readonly updated_at: string;
}

/** Columns of an endpoint that callers may change. */
export type WebhookChange = Partial<
  Pick<WebhookRow, 'url' | 'description' | 'objects' | 'types' | 'changed' | 'payload' | 'state'>
>;

/** How many endpoints an organization may have. */
export const maxWebhooks = 100;

const last = '(SELECT h.position FROM event_heads h WHERE h.organization_id = $1)';

const columns = `w.id AS webhook_id, w.url, w.description, w.objects, w.types, w.changed, w.payload, w.state, w.state_reason, w.is_failing,
  w.position::float8 AS position, coalesce(${last}, 0)::float8 AS last_position, w.parked AS parked_records,
  ${instantText('greatest(w.wait_until, least(w.retry_at, w.probe_at))')} AS next_retry_at,
  CASE WHEN w.replay_until IS NOT NULL THEN jsonb_build_object('position', w.replay_position, 'to', w.replay_until) END AS replay,
  ${instantText('CASE WHEN w.previous_secret_until > now() THEN w.previous_secret_until END')} AS previous_secret_until,
  ${instantText('w.created_at')} AS created_at, ${instantText('w.updated_at')} AS updated_at`;

/** When an endpoint is served next if its parked records are due. */
const dueIfParked = 'CASE WHEN w.parked > 0 THEN now() END';

/** Forgets how the receiver was doing. */
const forgetReceiver = [
  ...['failures = 0', 'is_failing = false', 'failing_since = NULL', 'failed_at = NULL'],
  ...['probe_at = NULL', 'wait_until = NULL', 'pace = NULL'],
];

/** An endpoint after a write, and the token for reads that must see the write. */
export interface WrittenWebhook {
  readonly webhook: WebhookRow;
  readonly readMark: string;
}

/** An entry of the audit trail. */
interface WebhookAudit {
  readonly action: 'create' | 'update' | 'delete' | 'rotate_secret' | 'test' | 'replay';
  /** Who does it, as the audit trail shows it. */
  readonly actor: string;
  /** What was asked for besides new values of the endpoint. */
  readonly details?: object;
}

/** The endpoint `w` with the id `$2`, as the statement finds it in `before`. */
const isBefore = 'w.organization_id = $1 AND w.id = b.webhook_id';

/**
 * Runs a statement that returns an endpoint, and writes an event to the audit trail in the same transaction, with the values before and
 * after.
 * @param text - the statement. It joins `before b`, the endpoint with the id `$2` before the statement, so that this row is locked first.
 * @param parkedDue - which of its parked records to make due, in SQL; null for none
 */
const write = async (
  database: Queries,
  organizationId: string,
  text: string,
  values: readonly unknown[],
  { action, actor, details = {} }: WebhookAudit,
  parkedDue: string | null = null,
): Promise<WrittenWebhook | null> => {
  const before = `SELECT ${columns} FROM webhook_endpoints w WHERE w.organization_id = $1 AND w.id = $2 FOR UPDATE`;
  const after = action === 'delete' ? 'NULL' : 'to_jsonb(c)';
  const audited = `, audit AS (
      INSERT INTO audit_events (organization_id, id, actor, command_id, action, target, details)
      SELECT $1, gen_random_uuid(), $${values.length + 2}, gen_random_uuid(), 'webhook.${action}', c.webhook_id,
             webhook_audit_details(to_jsonb(b), ${after}) || $${values.length + 3}::jsonb
        FROM changed c LEFT JOIN before b ON true)`;
  const due = `, due AS (
      UPDATE webhook_parked p SET retry_at = now(), attempts = 0 FROM changed c
       WHERE p.organization_id = $1 AND p.endpoint_id = c.webhook_id AND ${parkedDue})`;
  const [row] = await database.query<WebhookRow & { readMark: string }>(organizationId, {
    text: `WITH before AS (${before}), changed AS (${text})${audited}${parkedDue === null ? '' : due} SELECT c.*, read_mark() AS "readMark" FROM changed c`,
    values: [...values, actor, JSON.stringify(details)],
  });
  if (row === undefined) return null;
  const { readMark, ...webhook } = row;
  return { webhook, readMark: readMarkText(readMark) };
};

/** Lists endpoints sorted by id, after the one with an id. */
export const listWebhooks = (
  database: Queries,
  organizationId: string,
  { after, limit }: { readonly after: string | null; readonly limit: number },
): Promise<readonly WebhookRow[]> => {
  const text = `SELECT ${columns} FROM webhook_endpoints w
    WHERE w.organization_id = $1 AND ($2::uuid IS NULL OR w.id > $2) ORDER BY w.id LIMIT $3`;
  const statement = { text, values: [after, limit] };
  return database.query<WebhookRow & Record<string, unknown>>(organizationId, statement);
};

/** The endpoint with an id; null if there is none. */
export const findWebhook = async (database: Queries, organizationId: string, id: string) => {
  const text = `SELECT ${columns} FROM webhook_endpoints w WHERE w.organization_id = $1 AND w.id = $2`;
  const [found] = await database.query<WebhookRow & Record<string, unknown>>(organizationId, { text, values: [id] });
  return found ?? null;
};

/**
 * Adds an endpoint, which receives the events after now.
 * @param secret - encrypted
 * @throws Failure `too_many_webhooks`
 */
export const insertWebhook = async (
  database: Queries,
  organizationId: string,
  id: string,
  secret: string,
  actor: string,
  { url, description = null, objects = [], types = [], changed = [], payload = 'full' }: WebhookChange,
): Promise<WrittenWebhook> => {
  const text = `
    INSERT INTO webhook_endpoints AS w (organization_id, id, url, description, objects, types, changed, payload, secret, position)
    SELECT $1, $2, $3, $4, $5, $6, $7, $8, $9, coalesce(${last}, 0)
     WHERE (SELECT count(*) FROM webhook_endpoints c WHERE c.organization_id = $1) < ${maxWebhooks} RETURNING ${columns}`;
  const values = [id, url, description, objects, types, changed, payload, secret];
  const written = await write(database, organizationId, text, values, { action: 'create', actor });
  if (written === null) throw new Failure({ kind: 'too_many_webhooks', limit: maxWebhooks });
  return written;
};

/**
 * Changes an endpoint. `state: 'active'` continues a paused or disabled endpoint from its position, and makes its parked events due.
 * @returns null if there is none
 */
export const updateWebhook = async (
  database: Queries,
  organizationId: string,
  id: string,
  actor: string,
  change: WebhookChange,
): Promise<WrittenWebhook | null> => {
  const names = Object.keys(change).filter((name) => change[name as keyof WebhookChange] !== undefined);
  const set = names.map((name, index) => `${name} = $${index + 3}`);
  const values = [id, ...names.map((name) => change[name as keyof WebhookChange])];
  const isContinued = change.state === 'active';
  if (isContinued) set.push('state_reason = NULL', `retry_at = ${dueIfParked}`);
  if (isContinued || change.url !== undefined) set.push(...forgetReceiver);
  const text = `UPDATE webhook_endpoints w SET ${[...set, 'updated_at = now()'].join(', ')}
    FROM before b WHERE ${isBefore} RETURNING ${columns}`;
  return write(database, organizationId, text, values, { action: 'update', actor }, isContinued ? 'true' : null);
};

/** Deletes an endpoint with its attempts. @returns null if there is none */
export const deleteWebhook = (
  database: Queries,
  organizationId: string,
  id: string,
  actor: string,
): Promise<WrittenWebhook | null> => {
  const text = `DELETE FROM webhook_endpoints w USING before b WHERE ${isBefore} RETURNING ${columns}`;
  return write(database, organizationId, text, [id], { action: 'delete', actor });
};

/** Asks the worker for a test message. @returns null if there is no such endpoint */
export const requestTest = (
  database: Queries,
  organizationId: string,
  id: string,
  actor: string,
): Promise<WrittenWebhook | null> => {
  const text = `UPDATE webhook_endpoints w SET is_test_due = true FROM before b WHERE ${isBefore} RETURNING ${columns}`;
  return write(database, organizationId, text, [id], { action: 'test', actor });
};

/** Replaces the secret. The old one signs too for a day. @param secret - encrypted. @returns null if there is no such endpoint */
export const rotateSecret = (
  database: Queries,
  organizationId: string,
  id: string,
  actor: string,
  secret: string,
): Promise<WrittenWebhook | null> => {
  const text = `UPDATE webhook_endpoints w
    SET previous_secret = w.secret, previous_secret_until = now() + interval '1 day', secret = $3, updated_at = now()
    FROM before b WHERE ${isBefore} RETURNING ${columns}`;
  return write(database, organizationId, text, [id, secret], { action: 'rotate_secret', actor });
};

/** Positions of events to send again. */
export interface ReplayRange {
  readonly from: number;
  readonly to: number;
}

/**
 * Sends events again, and makes parked events of the range due. Events that the endpoint has not reached are not sent twice.
 * @returns null if there is no such endpoint
 * @throws Failure `position_ahead` or `events_expired` if an event of the range does not exist or is no longer retained, `conflict` if the
 * last replay has not ended
 */
export const requestReplay = async (
  database: Queries,
  organizationId: string,
  id: string,
  actor: string,
  { from, to }: ReplayRange,
): Promise<WrittenWebhook | null> => {
  const head = `SELECT coalesce(h.position, 0)::float8 AS last, coalesce(h.oldest_position, 1)::float8 AS oldest
    FROM webhook_endpoints w LEFT JOIN event_heads h ON h.organization_id = w.organization_id
    WHERE w.organization_id = $1 AND w.id = $2`;
  const positions = { text: head, values: [id] };
  const [found] = await database.query<{ last: number; oldest: number }>(organizationId, positions);
  if (found === undefined) return null;
  const { last: lastPosition, oldest } = found;
  if (to > lastPosition) throw new Failure({ kind: 'position_ahead', lastPosition });
  if (from < oldest) throw new Failure({ kind: 'events_expired', oldestPosition: oldest });
  const text = `UPDATE webhook_endpoints w SET replay_position = CASE WHEN $3::bigint <= w.position THEN $3::bigint - 1 END,
      replay_until = CASE WHEN $3::bigint <= w.position THEN least($4::bigint, w.position) END, retry_at = ${dueIfParked},
      ${forgetReceiver.join(', ')}
    FROM before b WHERE ${isBefore} AND w.replay_until IS NULL RETURNING ${columns}`;
  const audit = { action: 'replay', actor, details: { from, to } } as const;
  const values = [id, from, to];
  const written = await write(database, organizationId, text, values, audit, 'p.position BETWEEN $3 AND $4');
  if (written === null) throw new Failure({ kind: 'conflict' });
  return written;
};

/** Undelivered events to give up: those of a range, or with null the failed event of each parked record. */
export type SkipRange = ReplayRange | null;

/** An endpoint after events were given up, and how many. */
export interface SkippedEvents extends WrittenWebhook {
  readonly skipped: number;
}

/**
 * Gives up events that were not delivered.
 * @returns null if there is no such endpoint
 * @throws Failure `position_ahead` if the range ends after the last event, or begins after the next one to send
 */
export const skipEvents = async (
  database: Queries,
  organizationId: string,
  id: string,
  actor: string,
  range: SkipRange,
): Promise<SkippedEvents | null> => {
  const found = await findWebhook(database, organizationId, id);
  if (found === null) return null;
  const next = found.position + 1;
  if (range !== null && range.from > next) throw new Failure({ kind: 'position_ahead', lastPosition: next });
  if (range !== null && range.to > found.last_position)
    throw new Failure({ kind: 'position_ahead', lastPosition: found.last_position });
  const text = 'SELECT skip_deliveries($1, $2, $3, $4, $5)::float8 AS skipped';
  const values = [id, range?.from ?? null, range?.to ?? null, actor];
  const [row] = await database.query<{ skipped: number | null }>(organizationId, { text, values });
  const after = `SELECT ${columns}, read_mark() AS "readMark" FROM webhook_endpoints w
    WHERE w.organization_id = $1 AND w.id = $2`;
  const [written] = await database.query<WebhookRow & { readMark: string }>(organizationId, {
    text: after,
    values: [id],
  });
  if (written === undefined) return null;
  const { readMark, ...webhook } = written;
  return { webhook, readMark: readMarkText(readMark), skipped: row?.skipped ?? 0 };
};
