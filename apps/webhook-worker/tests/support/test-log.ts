import { randomBytes, randomUUID } from 'node:crypto';
import {
  administration,
  type AdministrationDatabase,
  insertWebhook,
  openAdministrationDatabase,
  type WebhookChange,
} from '@crm/db';
import { createMigratedDatabase } from '@crm/testing/suites';
import { encryptSecret, newSecret, type SecretKeys } from '@crm/webhooks';

/** A database with an organization whose log a test fills. */
export interface TestLog {
  readonly database: AdministrationDatabase;
  readonly organizationId: string;
  readonly keys: SecretKeys;
  /** Appends one event for each record id, in order, by default to the log of this organization. */
  append(recordIds: readonly string[], toOrganization?: string): Promise<void>;
  /** Adds an endpoint. @returns its id and its secret */
  addWebhook(url: string, change?: WebhookChange): Promise<{ readonly id: string; readonly secret: string }>;
  query<Row extends object>(text: string, ...values: readonly unknown[]): Promise<Row[]>;
  close(): Promise<void>;
}

const appendSql = `
  WITH head AS (
    INSERT INTO event_heads AS h (organization_id, position, oldest_position, bytes) VALUES ($1, cardinality($2::uuid[]), 1, 0)
    ON CONFLICT (organization_id) DO UPDATE SET position = h.position + cardinality($2::uuid[]) RETURNING h.position)
  INSERT INTO events (organization_id, position, occurred_at, id, type, object, record_id, version, record, changed, bytes)
  SELECT $1, head.position - cardinality($2::uuid[]) + r.place, clock_timestamp(), gen_random_uuid(), 'account.updated', 'account', r.id, 1,
         jsonb_build_object('id', r.id), '{name}', 100
    FROM head, unnest($2::uuid[]) WITH ORDINALITY r (id, place)`;

/** Opens a migrated database with a new organization. */
export const openTestLog = async (url: string): Promise<TestLog> => {
  const database = openAdministrationDatabase({ url, applicationName: 'webhook-tests' });
  const { id: organizationId } = await administration(database).createOrganization({ name: 'Webhooks' });
  const keys: SecretKeys = [randomBytes(32)];
  const query = async <Row extends object>(text: string, ...values: readonly unknown[]): Promise<Row[]> =>
    (await database.pool.query<Row & Record<string, unknown>>(text, [...values])).rows;
  return {
    database,
    organizationId,
    keys,
    query,
    append: async (recordIds, toOrganization = organizationId) => {
      await query(appendSql, toOrganization, recordIds);
    },
    addWebhook: async (address, change = {}) => {
      const id = randomUUID();
      const secret = newSecret();
      await insertWebhook(database, organizationId, id, encryptSecret(keys, id, secret), 'a test', {
        ...change,
        url: address,
      });
      return { id, secret };
    },
    close: () => database.close(),
  };
};

/** Creates a database of its own, because a worker serves the endpoints of all organizations. */
export const createTestLog = async (): Promise<TestLog> => {
  const own = await createMigratedDatabase();
  const log = await openTestLog(own.url);
  return { ...log, close: () => log.close().then(() => own.drop()) };
};
