import type { CustomValue } from '@crm/domain';
import type { OrganizationSetup } from '../organization-setup.js';
import type { Database } from '../database.js';
import { accountColumns } from './accounts.js';
import { opportunityColumns } from './opportunities.js';
import type { CustomValues } from './stored-values.js';
import type { Write } from './write.js';

/** The properties of an event of the change log that restoring needs. */
export interface RestorableEvent {
  readonly position: number;
  readonly object: 'account' | 'contact' | 'opportunity' | 'note';
  readonly type: string;
  /** For a deletion, the whole record; null if its values were erased. */
  readonly previous: Readonly<Record<string, unknown>> | null;
  readonly isErased: boolean;
}

/** The result of restoring a record. */
export interface RestoredRecord {
  readonly object: 'account' | 'opportunity';
  readonly id: string;
  readonly version: number;
  /** Columns that did not get their old value: links to records that no longer exist, and an archived stage. */
  readonly dropped: readonly string[];
}

/** The retained event at a position of an organization's log, or null. */
export const findEvent = async (
  database: Database,
  organizationId: string,
  position: number,
): Promise<RestorableEvent | null> => {
  const text = `SELECT e.position::float8 AS position, e.object, e.type, e.previous, e.is_erased AS "isErased"
      FROM events e JOIN event_heads h ON h.organization_id = e.organization_id
     WHERE e.organization_id = $1 AND e.position = $2 AND e.position >= h.oldest_position`;
  const statement = { text, values: [position] };
  const [event] = await database.query<RestorableEvent & Record<string, unknown>>(organizationId, statement);
  return event ?? null;
};

const textOrNull = (value: unknown): string | null => (typeof value === 'string' ? value : null);

/** The custom values of a deleted record with the current definitions. It includes archived fields, because they may be restored later. */
const customValuesOf = (
  record: Readonly<Record<string, unknown>>,
  definitions: CustomValues['definitions'],
): CustomValues => ({
  definitions,
  values: new Map(Object.entries((record['custom_fields'] ?? {}) as Readonly<Record<string, CustomValue>>)),
});

/**
 * Restores a deleted account or opportunity with its id, its values and its links to records that still exist. Index keys and normalized
 * texts are computed again, because the definitions of fields may have changed.
 */
export const restoration = (
  setup: OrganizationSetup,
  position: number,
  object: 'account' | 'opportunity',
  record: Readonly<Record<string, unknown>>,
): Write<RestoredRecord> => {
  const text = (name: string): string | null => textOrNull(record[name]);
  if (object === 'account') {
    const custom = customValuesOf(record, setup.storedFields('account'));
    const texts = { industry: text('industry'), description: text('description'), website: text('website') };
    const named = {
      domain: String(record['domain']),
      externalId: text('external_id'),
      name: text('name'),
      employeeRange: text('employee_range'),
    };
    return {
      function: 'restore_account',
      input: { position, change: accountColumns({ ...named, ...texts, ...custom }) },
    };
  }
  const custom = customValuesOf(record, setup.storedFields('opportunity'));
  const texts = {
    name: String(record['name']),
    externalId: text('external_id'),
    currency: text('currency'),
    nextStep: text('next_step'),
  };
  return { function: 'restore_opportunity', input: { position, change: opportunityColumns({ ...texts, ...custom }) } };
};
