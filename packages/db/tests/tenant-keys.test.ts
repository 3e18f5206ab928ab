import { readdir, readFile } from 'node:fs/promises';
import { readTestStack, reportFigure } from '@crm/testing';
import { afterAll, describe, expect, test } from '@jest/globals';
import { openDatabase } from '../src/database.js';
import { queryOnce } from './support/database.js';

const { databaseUrl } = readTestStack();
const database = openDatabase({ url: databaseUrl, applicationName: 'tenant-keys-test' });
afterAll(() => database.close());

/** The number of keys and statements without the organization, out of those that were checked. */
let exceptions = 0;
let checked = 0;
afterAll(() => reportFigure('R19', `keys and statements without the organization, of ${checked}`, exceptions, 0));

/** Tables that belong to no tenant: organizations, API keys, and the history of schema and server. */
const sharedTables = [
  '_prisma_migrations',
  'api_keys',
  'event_timelines',
  'function_versions',
  'gateway_requirements',
  'organizations',
];

const tenantTables = async (): Promise<string[]> => {
  const rows = await queryOnce<{ name: string }>(
    databaseUrl,
    `SELECT relname AS name FROM pg_class WHERE relkind IN ('r', 'p') AND relnamespace = 'public'::regnamespace ORDER BY 1`,
  );
  return rows.map(({ name }) => name).filter((name) => !sharedTables.includes(name));
};

/** Expects that no entry of a list is an exception. */
const expectNone = <T>(all: readonly T[], isException: (one: T) => boolean): void => {
  const found = all.filter(isException);
  expect(all.length).toBeGreaterThan(0);
  checked += all.length;
  exceptions += found.length;
  expect(found).toEqual([]);
};

describe('R19: the organization comes first', () => {
  test('every tenant table has a primary key', async () => {
    const text = `SELECT conrelid::regclass::text AS name FROM pg_constraint WHERE contype = 'p'`;
    const rows = await queryOnce<{ name: string }>(databaseUrl, text);
    const tables = await tenantTables();
    expect(tables).toContain('opportunities');
    expect(rows.map(({ name }) => name)).toEqual(expect.arrayContaining(tables));
  });

  test('in every primary key, unique index and plain index of a tenant table', async () => {
    const rows = await queryOnce<{ index: string; first: string | null }>(
      databaseUrl,
      `SELECT i.indexrelid::regclass::text AS index, a.attname AS first
         FROM pg_index i LEFT JOIN pg_attribute a ON a.attrelid = i.indrelid AND a.attnum = i.indkey[0]
        WHERE i.indrelid = ANY ($1::regclass[])`,
      [await tenantTables()],
    );
    expectNone(rows, ({ first }) => first !== 'organization_id');
  });

  test('in every foreign key of a tenant table, on both sides', async () => {
    const rows = await queryOnce<{ name: string; isFirst: boolean }>(
      databaseUrl,
      `SELECT c.conname AS name, a.attname = 'organization_id'
              AND f.attname = CASE c.confrelid WHEN 'organizations'::regclass THEN 'id' ELSE 'organization_id' END AS "isFirst"
         FROM pg_constraint c
         JOIN pg_attribute a ON a.attrelid = c.conrelid AND a.attnum = c.conkey[1]
         JOIN pg_attribute f ON f.attrelid = c.confrelid AND f.attnum = c.confkey[1]
        WHERE c.contype = 'f' AND c.conrelid = ANY ($1::regclass[])`,
      [await tenantTables()],
    );
    expectNone(rows, ({ isFirst }) => !isFirst);
  });

  test('and no foreign key has ON UPDATE CASCADE, which distributed PostgreSQL does not support', async () => {
    const text = `SELECT conname AS name, confupdtype AS update FROM pg_constraint WHERE contype = 'f'`;
    const rows = await queryOnce<{ name: string; update: string }>(databaseUrl, text);
    expect(rows.length).toBeGreaterThan(20);
    expect(rows.filter(({ update }) => update !== 'a')).toEqual([]);
  });

  test('in every statement: one that does not bind the organization is not sent', async () => {
    const organizationId = '00000000-0000-4000-8000-000000000001';
    const unbound = [
      ['', 'SELECT $1'],
      [organizationId, 'SELECT id FROM opportunities'],
      [organizationId, 'SELECT id FROM opportunities WHERE id = $10'],
      [organizationId, 'SELECT id FROM opportunities WHERE id = $2'],
    ] as const;
    const refusals = await Promise.all(
      unbound.map(([organization, text]) => database.query(organization, { text, values: [] }).catch(String)),
    );
    expectNone(refusals.map(String), (refusal) => !refusal.includes('must bind the organization'));
  });

  test('only database.ts, which checks that, takes connections from a pool', async () => {
    const source = new URL('../src/', import.meta.url);
    const files = (await readdir(source, { recursive: true })).filter(
      (file) => file.endsWith('.ts') && !file.startsWith('generated/') && !file.startsWith('migrate/'),
    );
    const direct: string[] = [];
    for (const file of files) {
      if (/\bpool\s*\.(query|connect|acquire)\b/.test(await readFile(new URL(file, source), 'utf8'))) direct.push(file);
    }
    expect(direct).toContain('database.ts');
    expectNone(files, (file) => direct.includes(file) && file !== 'database.ts');
  });
});

test('CHECK constraints call only built-in functions, which pg_restore finds with an empty search_path', async () => {
  const callsSql = `SELECT c.conname AS name FROM pg_constraint c
    JOIN pg_depend d ON d.classid = 'pg_constraint'::regclass AND d.objid = c.oid AND d.refclassid = 'pg_proc'::regclass
    WHERE c.contype = 'c' AND c.connamespace = 'public'::regnamespace`;
  expect(await queryOnce(databaseUrl, callsSql)).toEqual([]);
});
