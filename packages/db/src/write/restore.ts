import { changeOf, type CustomValue } from '@crm/domain';
import type { OrganizationSetup } from '../organization-setup.js';
import type { Database } from '../database.js';
import { opportunityInput } from './opportunities.js';
import type { Write } from './write.js';

/** The properties of an event of the change log that restoring needs. */
export interface RestorableEvent {
  readonly position: number;
  readonly object: 'account' | 'contact' | 'opportunity' | 'note';
  readonly type: string;
  /** For a deletion, the whole record; null if its values were erased. */
  readonly previous: Readonly<Record<string, unknown>> | null;
  readonly isErased: boolean;
  /** RFC 3339, UTC. */
  readonly occurredAt: string;
}

/** The result of restoring a record. */
export interface RestoredRecord {
  readonly object: 'account' | 'opportunity';
  readonly id: string;
  readonly version: number;
  /** Columns that did not get their old value: links to records that no longer exist, and an archived stage. */
  readonly dropped: readonly string[];
  /** Aliases that it did not get again, because they find another account. */
  readonly taken: readonly { readonly domain: string; readonly account_id: string }[];
}

/** The retained event at a position of an organization's log, or the last retained deletion of a record; null if there is none. */
export const findEvent = async (
  database: Database,
  organizationId: string,
  target: { readonly position: number } | { readonly object: RestorableEvent['object']; readonly id: string },
): Promise<RestorableEvent | null> => {
  const [condition, values] =
    'position' in target
      ? ['e.position = $2', [target.position]]
      : ["e.object = $2 AND e.record_id = $3::uuid AND e.type = $2 || '.deleted'", [target.object, target.id]];
  const text = `SELECT e.position::float8 AS position, e.object, e.type, e.previous, e.is_erased AS "isErased",
        to_char(e.occurred_at AT TIME ZONE 'UTC', 'YYYY-MM-DD"T"HH24:MI:SS.MS"Z"') AS "occurredAt"
      FROM events e JOIN event_heads h ON h.organization_id = e.organization_id
     WHERE e.organization_id = $1 AND ${condition} AND e.position >= h.oldest_position
     ORDER BY e.position DESC LIMIT 1`;
  const [event] = await database.query<RestorableEvent & Record<string, unknown>>(organizationId, { text, values });
  return event ?? null;
};

/**
 * Restores a deleted account or opportunity with its id, its values and its links to records that still exist. Index keys and normalized
 * texts are computed again, because the definitions of fields may have changed. Values of archived fields are included, because the
 * fields may be restored later. Values of deleted fields are left out.
 */
export const restoration = (
  setup: OrganizationSetup,
  { position, occurredAt }: RestorableEvent,
  object: 'account' | 'opportunity',
  record: Readonly<Record<string, unknown>>,
): Write<RestoredRecord> => {
  const values = new Map(Object.entries((record['custom_fields'] ?? {}) as Readonly<Record<string, CustomValue>>));
  const change = changeOf(object, record, { definitions: setup.fieldsAt(object, occurredAt), values });
  if (object === 'account') return { function: 'restore_account', input: { position, change } };
  // Only the texts: the function itself restores links and the other columns from the event.
  const texts = Object.entries(change.set).filter(
    ([name]) => name === 'name' || Object.hasOwn(change.normalized, name),
  );
  const input = opportunityInput({ ...change, set: Object.fromEntries(texts) });
  return { function: 'restore_opportunity', input: { position, change: input } };
};
