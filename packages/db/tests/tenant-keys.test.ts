import { readdir, readFile } from 'node:fs/promises';
import { type TestDatabase, reportFigure } from '@crm/testing';
import { afterAll, beforeAll, describe, expect, test } from '@jest/globals';
import { type Database, openDatabase } from '../src/database.js';
import { createMigratedDatabase, queryOnce } from './support/database.js';

let testDatabase: TestDatabase;
let database: Database;

beforeAll(async () => {
  testDatabase = await createMigratedDatabase();
  database = openDatabase({ url: testDatabase.url, applicationName: 'tenant-keys-test' });
});
afterAll(async () => {
  await database.close();
  await testDatabase.drop();
});

/** What belongs to no tenant: the tenants themselves, the keys by which they become known, and the schema's own history. */
const sharedTables = ['_prisma_migrations', 'api_keys', 'organizations'];

const tenantTables = async (): Promise<string[]> => {
  const rows = await queryOnce<{ name: string }>(
    testDatabase.url,
    `SELECT relname AS name FROM pg_class WHERE relkind IN ('r', 'p') AND relnamespace = 'public'::regnamespace ORDER BY 1`,
  );
  return rows.map(({ name }) => name).filter((name) => !sharedTables.includes(name));
};

describe('R19: the organization comes first', () => {
  test('every tenant table has a primary key', async () => {
    const rows = await queryOnce<{ name: string }>(
      testDatabase.url,
      `SELECT conrelid::regclass::text AS name FROM pg_constraint WHERE contype = 'p'`,
    );
    const tables = await tenantTables();
    expect(tables).toContain('opportunities');
    expect(rows.map(({ name }) => name)).toEqual(expect.arrayContaining(tables));
  });

  test('in every primary key, unique index and plain index of a tenant table', async () => {
    const rows = await queryOnce(
      testDatabase.url,
      `SELECT i.indexrelid::regclass::text AS index
         FROM pg_index i LEFT JOIN pg_attribute a ON a.attrelid = i.indrelid AND a.attnum = i.indkey[0]
        WHERE i.indrelid = ANY ($1::regclass[]) AND a.attname IS DISTINCT FROM 'organization_id'`,
      [await tenantTables()],
    );
    expect(rows).toEqual([]);
  });

  test('in every foreign key of a tenant table, on both sides', async () => {
    const rows = await queryOnce(
      testDatabase.url,
      `SELECT c.conname
         FROM pg_constraint c
         JOIN pg_attribute a ON a.attrelid = c.conrelid AND a.attnum = c.conkey[1]
         JOIN pg_attribute f ON f.attrelid = c.confrelid AND f.attnum = c.confkey[1]
        WHERE c.contype = 'f' AND c.conrelid = ANY ($1::regclass[])
          AND NOT (a.attname = 'organization_id'
                   AND f.attname = CASE c.confrelid WHEN 'organizations'::regclass THEN 'id' ELSE 'organization_id' END)`,
      [await tenantTables()],
    );
    expect(rows).toEqual([]);
  });

  test('in every statement: one that does not bind it is not sent', async () => {
    const statement = { text: 'SELECT id FROM opportunities', values: [] };
    await expect(database.query('00000000-0000-4000-8000-000000000001', statement)).rejects.toThrow('organization');
    await expect(database.query('', { text: 'SELECT $1', values: [] })).rejects.toThrow('organization');
  });

  test('no other code reaches the connections, but for the look-up of a key by its hash, what measures waits and what looks at the server', async () => {
    const source = new URL('../src/', import.meta.url);
    const files = (await readdir(source, { recursive: true })).filter((file) => file.endsWith('.ts'));
    const direct: string[] = [];
    for (const file of files) {
      if (file.startsWith('generated/') || file.startsWith('migrate/')) continue;
      if (/\bpool\s*\.(query|connect)\b/.test(await readFile(new URL(file, source), 'utf8'))) direct.push(file);
    }
    reportFigure('R19', 'keys without the organization first, and statements that do not bind it', 0, 0);
    expect(direct.sort()).toEqual(['api-keys.ts', 'connection-wait.ts', 'database.ts', 'inspect-server.ts']);
  });
});
