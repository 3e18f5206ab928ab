import type { Queries } from '../database.js';
import { instantText } from '../page/order.js';

/** Something that a worker did with an endpoint, as the API returns it. */
export interface WebhookAttempt {
  readonly attempt_id: string;
  readonly outcome: 'delivered' | 'failed' | 'deferred' | 'expired' | 'skipped';
  readonly type: string | null;
  readonly object: string | null;
  readonly record_id: string | null;
  readonly first_position: number | null;
  readonly last_position: number | null;
  readonly events: number;
  readonly attempt: number | null;
  readonly status: number | null;
  readonly error: string | null;
  readonly response: string | null;
  readonly duration_ms: number | null;
  readonly occurred_at: string;
}

/** Lists attempts of the last seven days, newest first, before the one with an id. */
export const listAttempts = (
  database: Queries,
  organizationId: string,
  id: string,
  { before, limit }: { readonly before: string | null; readonly limit: number },
): Promise<readonly WebhookAttempt[]> => {
  const text = `
    SELECT a.id AS attempt_id, a.outcome, a.type, a.object, a.record_id, a.first_position::float8 AS first_position,
           a.last_position::float8 AS last_position, a.events, a.attempt, a.status, a.error, a.response, a.duration_ms,
           ${instantText('a.occurred_at')} AS occurred_at
      FROM webhook_attempts a
     WHERE a.organization_id = $1 AND a.endpoint_id = $2 AND ($3::uuid IS NULL OR a.id < $3)
       AND a.occurred_at > now() - interval '7 days'
     ORDER BY a.id DESC LIMIT $4`;
  const statement = { text, values: [id, before, limit] };
  return database.query<WebhookAttempt & Record<string, unknown>>(organizationId, statement);
};

/** A record whose events wait, as the API returns it. */
export interface ParkedRecordRow {
  readonly object: string;
  readonly record_id: string;
  readonly position: number;
  readonly attempts: number;
  readonly next_retry_at: string | null;
  readonly error: string | null;
}

/** Where a page of parked records begins: after this position and record. */
export interface AfterParked {
  readonly position: number;
  readonly recordId: string;
}

/** Lists the parked records of an endpoint, sorted by position. */
export const listParked = (
  database: Queries,
  organizationId: string,
  id: string,
  { after, limit }: { readonly after: AfterParked | null; readonly limit: number },
): Promise<readonly ParkedRecordRow[]> => {
  const text = `
    SELECT p.object, p.record_id, p.position::float8 AS position, p.attempts, ${instantText('p.retry_at')} AS next_retry_at, p.error
      FROM webhook_parked p
     WHERE p.organization_id = $1 AND p.endpoint_id = $2 AND ($3::bigint IS NULL OR (p.position, p.record_id) > ($3, $4::uuid))
     ORDER BY p.position, p.record_id LIMIT $5`;
  const statement = { text, values: [id, after?.position ?? null, after?.recordId ?? null, limit] };
  return database.query<ParkedRecordRow & Record<string, unknown>>(organizationId, statement);
};
