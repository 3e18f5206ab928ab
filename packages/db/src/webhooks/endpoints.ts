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

/** The columns of an endpoint. @param row - the row in SQL. @param last - the last position of the change log in SQL */
const columnsOf = (row: string, last: string): string =>
  `${row}.id AS webhook_id, ${row}.url, ${row}.description, ${row}.objects, ${row}.types, ${row}.changed, ${row}.payload, ${row}.state,
  ${row}.state_reason, ${row}.is_failing, ${row}.position::float8 AS position, coalesce(${last}, 0)::float8 AS last_position, ${row}.parked AS parked_records,
  ${instantText(`greatest(${row}.wait_until, least(${row}.retry_at, ${row}.probe_at))`)} AS next_retry_at,
  CASE WHEN ${row}.replay_until IS NOT NULL THEN jsonb_build_object('position', ${row}.replay_position, 'to', ${row}.replay_until) END AS replay,
  ${instantText(`CASE WHEN ${row}.previous_secret_until > now() THEN ${row}.previous_secret_until END`)} AS previous_secret_until,
  ${instantText(`${row}.created_at`)} AS created_at, ${instantText(`${row}.updated_at`)} AS updated_at`;

const columns = columnsOf('w', '(SELECT h.position FROM event_heads h WHERE h.organization_id = $1)');

/** An endpoint after a write, and the token for reads that must see the write. */
export interface WrittenWebhook {
  readonly webhook: WebhookRow;
  readonly readMark: string;
}

/** A change of an endpoint, as the function `change_webhook` takes it. */
interface StoredChange {
  readonly action: 'create' | 'update' | 'delete' | 'rotate_secret' | 'test' | 'replay';
  readonly set?: Readonly<Partial<Record<keyof WebhookChange | 'secret', unknown>>>;
  readonly most?: number;
  readonly from?: number;
  readonly to?: number;
}

const changeSql = `SELECT ${columnsOf('(c.webhook)', 'c.last_position')}, c.read_mark AS "readMark" FROM change_webhook($1, $2, $3, $4, $5) c`;

/** Changes an endpoint and writes the audit event in one transaction. @returns null if nothing has changed; see `change_webhook` */
const write = async (
  database: Queries,
  organizationId: string,
  id: string,
  actor: string,
  { action, ...change }: StoredChange,
): Promise<WrittenWebhook | null> => {
  const statement = { text: changeSql, values: [id, action, JSON.stringify(change), actor] };
  const rows = await database.query<WebhookRow & { readMark: string }>(organizationId, statement);
  const [row] = rows.filter(({ readMark }) => Boolean(readMark));
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
  const set = { url, description, objects, types, changed, payload, secret };
  const written = await write(database, organizationId, id, actor, { action: 'create', set, most: maxWebhooks });
  if (written === null) throw new Failure({ kind: 'too_many_webhooks', limit: maxWebhooks });
  return written;
};

/**
 * Changes an endpoint. `state: 'active'` continues a paused or disabled endpoint from its position, and makes its parked events due.
 * @returns null if there is none
 */
export const updateWebhook = (
  database: Queries,
  organizationId: string,
  id: string,
  actor: string,
  change: WebhookChange,
): Promise<WrittenWebhook | null> => write(database, organizationId, id, actor, { action: 'update', set: change });

/** Deletes an endpoint with its attempts. @returns null if there is none */
export const deleteWebhook = (
  database: Queries,
  organizationId: string,
  id: string,
  actor: string,
): Promise<WrittenWebhook | null> => write(database, organizationId, id, actor, { action: 'delete' });

/** Asks the worker for a test message. @returns null if there is no such endpoint */
export const requestTest = (
  database: Queries,
  organizationId: string,
  id: string,
  actor: string,
): Promise<WrittenWebhook | null> => write(database, organizationId, id, actor, { action: 'test' });

/** Replaces the secret. The old one signs too for a day. @param secret - encrypted. @returns null if there is no such endpoint */
export const rotateSecret = (
  database: Queries,
  organizationId: string,
  id: string,
  actor: string,
  secret: string,
): Promise<WrittenWebhook | null> =>
  write(database, organizationId, id, actor, { action: 'rotate_secret', set: { secret } });

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
  const written = await write(database, organizationId, id, actor, { action: 'replay', from, to });
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
  const text = 'SELECT s::float8 AS skipped FROM skip_deliveries($1, $2, $3, $4, $5) s';
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
