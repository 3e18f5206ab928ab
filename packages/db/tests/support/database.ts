import { createTestDatabase, type TestDatabase, testRoleNames } from '@crm/testing';
import pg from 'pg';
import { migrate } from '../../src/migrate/migrate.js';
import { applyRoles } from '../../src/roles/apply-roles.js';

/**
 * A database with the current schema, for test files that change it or look at the rows of all organizations. Others use
 * `readTestStack().databaseUrl`, the database of the run.
 */
export const createMigratedDatabase = (): Promise<TestDatabase> =>
  createTestDatabase(async (url) => {
    await migrate(url);
    await applyRoles(url, testRoleNames());
  }, 'gateways');

/** An empty database. */
export const createEmptyDatabase = (): Promise<TestDatabase> => createTestDatabase(() => Promise.resolve(), 'empty');

/** Runs one statement on a new connection and returns its rows. */
export const queryOnce = async <Row extends pg.QueryResultRow>(
  url: string,
  text: string,
  values: readonly unknown[] = [],
): Promise<Row[]> => {
  const client = new pg.Client({ connectionString: url });
  client.on('error', () => undefined);
  await client.connect();
  try {
    return (await client.query<Row>(text, [...values])).rows;
  } finally {
    await client.end();
  }
};
