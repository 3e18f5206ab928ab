import { createTestDatabase, type TestDatabase } from '@crm/testing';
import pg from 'pg';

export { createMigratedDatabase } from '@crm/testing/suites';

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
