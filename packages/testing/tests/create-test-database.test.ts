import { afterEach, expect, test } from '@jest/globals';
import pg from 'pg';

import { createTestDatabase, type TestDatabase } from '../src/create-test-database.js';

const created: TestDatabase[] = [];

afterEach(async () => {
  for (const database of created.splice(0)) await database.drop();
});

async function create(migrate: (url: string) => Promise<void>, templateName: string): Promise<TestDatabase> {
  const database = await createTestDatabase(migrate, templateName);
  created.push(database);
  return database;
}

async function query(url: string, sql: string): Promise<unknown[]> {
  const client = new pg.Client({ connectionString: url });
  client.on('error', () => undefined);
  await client.connect();
  try {
    return (await client.query<Record<string, unknown>>(sql)).rows;
  } finally {
    await client.end();
  }
}

test("the template is migrated once, even if many ask at the same time, and test files do not see each other's writes", async () => {
  let migrations = 0;
  const migrate = async (url: string): Promise<void> => {
    migrations++;
    await query(url, 'CREATE TABLE thing (id int)');
  };
  const [first, second] = await Promise.all([create(migrate, 'once'), create(migrate, 'once')]);
  expect(migrations).toBe(1);
  await query(first.url, 'INSERT INTO thing VALUES (1)');
  expect(await query(second.url, 'SELECT * FROM thing')).toEqual([]);
});

test('a failed migration is reported, and the next attempt starts from an empty database', async () => {
  const fail = async (url: string): Promise<void> => {
    await query(url, 'CREATE TABLE thing (id int)');
    throw new Error('half way');
  };
  await expect(create(fail, 'failing')).rejects.toThrow('half way');
  const { url } = await create(async (address) => {
    await query(address, 'CREATE TABLE thing (id int)');
  }, 'failing');
  expect(await query(url, 'SELECT * FROM thing')).toEqual([]);
});

test('a dropped database is gone, even if a connection was open', async () => {
  const database = await createTestDatabase(() => Promise.resolve(), 'empty');
  const client = new pg.Client({ connectionString: database.url });
  client.on('error', () => undefined);
  await client.connect();
  await database.drop();
  await expect(query(database.url, 'SELECT 1')).rejects.toThrow('does not exist');
});

test('a template name that is not a plain word is refused', async () => {
  await expect(createTestDatabase(() => Promise.resolve(), 'a"; DROP')).rejects.toThrow('not a template name');
});
