import type { Database, Queries } from '../database.js';

/** Identifies a record. */
export interface EventRecord {
  readonly object: string;
  readonly record_id: string;
}

/** A record whose events wait for a retry. */
export interface ParkedRecord extends EventRecord {
  /** The position of the first event that was not delivered. */
  readonly position: number;
  /** How many times it was tried. */
  readonly attempts: number;
  /** How many times the receiver asked to wait with it. */
  readonly deferrals: number;
}

/** How fast a receiver takes requests. */
export interface StoredPace {
  /** How many requests may be in flight. */
  readonly parallel: number;
  /** How many requests may start in a second; null for no limit. */
  readonly per_second: number | null;
  /** How often the receiver asked to wait since it last answered otherwise. */
  readonly refusals: number;
}

/** An endpoint that a worker has claimed. */
export interface ClaimedWebhook {
  readonly organization_id: string;
  readonly id: string;
  readonly updated_at: string;
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
  /** Records whose first try failed since the last success. */
  readonly failures: number;
  /** How long the receiver has had no success since the first failure after it; null if it has not failed since. */
  readonly failing_ms: number | null;
  /** The time until the next new record may be sent to a failing receiver. */
  readonly probe_ms: number | null;
  /** Null if nothing limits the requests. */
  readonly pace: StoredPace | null;
  /** How many records are parked. */
  readonly parked: number;
  /** Parked records whose next try is due, at most 50. */
  readonly due: readonly ParkedRecord[];
}

/** Columns of the table webhook_attempts. */
export interface WebhookAttemptRow {
  readonly outcome: 'delivered' | 'failed' | 'deferred' | 'expired';
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
  /** That of the endpoint when it was claimed. A result does not judge the receiver of an endpoint that was changed since. */
  readonly updated_at: string;
  /** The position before. */
  readonly position_before: number;
  readonly position: number;
  /** Null if no replay was in progress. */
  readonly replay_position: number | null;
  readonly is_test_done: boolean;
  readonly failures: number;
  /** If the endpoint was failing before and no longer is, all events that failed meanwhile are due. */
  readonly is_failing: boolean;
  /** Whether a try failed. */
  readonly has_failed: boolean;
  /** The time until a failing receiver gets the next new record; null if it is not failing. */
  readonly probe_ms: number | null;
  /** The time for which the receiver asked to send nothing; null if it did not. */
  readonly wait_ms: number | null;
  readonly pace: StoredPace | null;
  readonly disabled_because: string | null;
  readonly is_released: boolean;
  /** `was`: the position that is stored; null if none is known. `delay_ms` until the next try; null after the last one. */
  readonly parked: readonly (ParkedRecord & {
    was: number | null;
    delay_ms: number | null;
    error: string | null;
    has_failed: boolean;
  })[];
  /** Parked records that have no event left to send. */
  readonly delivered: readonly (EventRecord & { was: number | null })[];
  readonly attempts: readonly WebhookAttemptRow[];
}

/** How many records of an endpoint may be parked. Then the endpoint's position stops until one was delivered or given up. */
export const maxParked = 10_000;

/**
 * Not a statement of one organization: a worker looks at the endpoints of all of them, once per second and in one statement. The first
 * endpoint of each organization comes before the second one of any.
 */
const dueSql = `
  SELECT w.organization_id AS "organizationId", w.id, w.secret,
         CASE WHEN w.previous_secret_until > clock_timestamp() THEN w.previous_secret END AS "previousSecret"
    FROM webhook_endpoints w LEFT JOIN event_heads h ON h.organization_id = w.organization_id
   WHERE (w.claimed_until IS NULL OR w.claimed_until < clock_timestamp()) AND w.id <> ALL ($1::uuid[])
     AND (w.is_test_due OR w.state = 'active' AND (w.wait_until IS NULL OR w.wait_until <= clock_timestamp()) AND (
       w.retry_at <= clock_timestamp() OR w.parked < ${maxParked} AND (w.probe_at IS NULL OR w.probe_at <= clock_timestamp())
       AND (h.position > w.position OR NOT w.is_failing AND w.replay_position < w.replay_until)))
   ORDER BY row_number() OVER (PARTITION BY w.organization_id ORDER BY w.claimed_until NULLS FIRST), w.claimed_until NULLS FIRST LIMIT 100`;

/** An endpoint with something to do. */
export interface DueWebhook {
  readonly organizationId: string;
  readonly id: string;
  /** Encrypted. */
  readonly secret: string;
  /** Encrypted; null if it no longer signs. */
  readonly previousSecret: string | null;
}

/**
 * Finds endpoints that have something to send and that no worker has claimed, at most 100. In each organization, the longest unclaimed
 * come first.
 * @param except - ids of endpoints to leave out
 */
export const findDueWebhooks = (database: Database, except: readonly string[] = []): Promise<DueWebhook[]> =>
  database.queryServer<DueWebhook>({ text: dueSql, values: [except] });

/** The secrets of at most 1,000 endpoints, encrypted. Not a statement of one organization. */
export const readWebhookSecrets = (database: Database): Promise<{ id: string; secret: string }[]> =>
  database.queryServer({ text: 'SELECT w.id, w.secret FROM webhook_endpoints w LIMIT 1000', values: [] });

/**
 * Extends the claims of a worker, also those that have ended if no other worker has claimed the endpoint since. Not a statement of one
 * organization.
 * @returns the ids of the endpoints that the worker still has
 */
export const extendClaims = async (
  database: Database,
  workerId: string,
  ids: readonly string[],
  claimMs: number,
): Promise<string[]> => {
  const text = `UPDATE webhook_endpoints w SET claimed_until = now() + make_interval(secs => $3::float8 / 1000)
    WHERE w.claimed_by = $1 AND w.id = ANY ($2::uuid[]) RETURNING w.id`;
  const rows = await database.queryServer<{ id: string }>({ text, values: [workerId, ids, claimMs] });
  return rows.map(({ id }) => id);
};

/** Claims an endpoint. @returns null if another worker has it, or if it no longer exists */
export const claimWebhook = async (
  database: Queries,
  { organizationId, id }: DueWebhook,
  workerId: string,
  claimMs: number,
): Promise<ClaimedWebhook | null> => {
  const statement = {
    text: 'SELECT claim_webhook($1, $2, $3, $4) AS webhook',
    values: [id, workerId, claimMs / 1_000],
  };
  const [row] = await database.query<{ webhook: ClaimedWebhook | null }>(organizationId, statement);
  return row?.webhook ?? null;
};

/** Stores what a worker did. @returns false if another worker has claimed the endpoint; then nothing was stored */
export const saveDeliveries = async (
  database: Queries,
  { organizationId, id }: Pick<DueWebhook, 'organizationId' | 'id'>,
  workerId: string,
  result: DeliveryResult,
): Promise<boolean> => {
  const text = 'SELECT save_deliveries($1, $2, $3, $4) AS saved';
  const statement = { text, values: [id, workerId, JSON.stringify(result)] };
  const [row] = await database.query<{ saved: boolean }>(organizationId, statement);
  return row?.saved === true;
};
