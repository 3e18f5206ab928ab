import { createTestDatabase, type TestDatabase } from '@crm/testing';
import pg from 'pg';
import { migrate } from '../../src/migrate/migrate.js';

/** A database with the current schema, for one test file. */
export const createMigratedDatabase = (): Promise<TestDatabase> =>
  createTestDatabase(async (url) => {
    await migrate(url);
  }, 'migrated');

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
