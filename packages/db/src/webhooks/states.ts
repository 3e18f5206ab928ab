import type { Database } from '../database.js';

/** The state of an endpoint for metrics and checks. */
export interface WebhookState {
  readonly organizationId: string;
  readonly id: string;
  readonly state: 'active' | 'paused' | 'disabled';
  readonly state_reason: string | null;
  readonly is_failing: boolean;
  readonly parked: number;
  /** The age of the oldest event that was not delivered, in seconds; 0 if there is none. */
  readonly oldest_seconds: number;
}

/** The position of the oldest event that was not delivered. */
const oldest = `least(w.position + 1, (SELECT min(p.position) FROM webhook_parked p
  WHERE p.organization_id = w.organization_id AND p.endpoint_id = w.id))`;

/** Not a statement of one organization: a worker serves the endpoints of all of them. */
const statesSql = `
  SELECT w.organization_id AS "organizationId", w.id, w.state, w.state_reason, w.is_failing, w.parked,
         coalesce(extract(epoch FROM clock_timestamp() - (
           SELECT e.occurred_at FROM events e WHERE e.organization_id = w.organization_id AND e.position >= ${oldest}
            ORDER BY e.position LIMIT 1)), 0)::float8 AS oldest_seconds
    FROM webhook_endpoints w ORDER BY w.organization_id, w.id`;

/** Reads the states of all endpoints. */
export const readWebhookStates = (database: Database): Promise<WebhookState[]> =>
  database.queryServer<WebhookState>({ text: statesSql, values: [] });
