import { type TestDatabase, reportFigure } from '@crm/testing';
import { afterEach, beforeAll, beforeEach, expect, test } from '@jest/globals';
import { migrate } from '../src/migrate/migrate.js';
import { type Migration, readMigrations } from '../src/migrate/migrations.js';
import { createEmptyDatabase, queryOnce } from './support/database.js';

let all: readonly Migration[];
let database: TestDatabase;

beforeAll(async () => {
  all = await readMigrations();
});
beforeEach(async () => {
  database = await createEmptyDatabase();
});
afterEach(() => database.drop());

const bad: Migration = {
  name: '29990101000000_bad',
  sql: 'CREATE TABLE half_way (id int); ALTER TABLE half_way ADD COLUMN broken no_such_type;',
};
const good: Migration = { ...bad, sql: 'CREATE TABLE half_way (id int);' };

const tables = async (): Promise<string[]> => {
  const rows = await queryOnce<{ name: string }>(
    database.url,
    `SELECT relname AS name FROM pg_class WHERE relkind = 'r' AND relnamespace = 'public'::regnamespace ORDER BY 1`,
  );
  return rows.map(({ name }) => name);
};

test('R16: of two migrators at once one applies everything and the other finds nothing to do', async () => {
  const started: string[] = [];
  const applied = await Promise.all(
    ['one', 'other'].map((name) => migrate(database.url, { onProgress: () => void started.push(name) })),
  );
  const names = all.map(({ name }) => name);
  // The second one waits, and then finds nothing to begin with.
  expect(started).toHaveLength(1);
  expect(applied.sort((a, b) => a.length - b.length)).toEqual([[], [...names, 'write functions']]);
  const rows = await queryOnce<{ name: string }>(
    database.url,
    'SELECT migration_name AS name FROM _prisma_migrations WHERE finished_at IS NOT NULL ORDER BY 1',
  );
  expect(rows.map(({ name }) => name)).toEqual(names);
  reportFigure(
    'R16',
    'of two migrators at once, those that applied anything',
    applied.filter((of) => of.length > 0).length,
    1,
  );
});

test('a current database is left alone, and progress names the pending migrations only', async () => {
  const told: (readonly string[])[] = [];
  const onProgress = (pending: readonly string[]): void => void told.push(pending);
  expect(await migrate(database.url, { onProgress })).toHaveLength(all.length + 1);
  expect(await migrate(database.url, { onProgress })).toEqual([]);
  expect(await migrate(database.url, { onProgress, migrations: [...all, good] })).toEqual([good.name]);
  expect(told).toEqual([all.map(({ name }) => name), [good.name]]);
});

test('R16: a migration with bad SQL is named, leaves nothing of itself behind, and keeps those before it', async () => {
  await expect(migrate(database.url, { migrations: [...all, bad] })).rejects.toThrow(bad.name);
  const left = await tables();
  reportFigure('R16', 'tables left of a migration with bad SQL', left.filter((name) => name === 'half_way').length, 0);
  expect(left).not.toContain('half_way');
  expect(left).toContain('opportunities');
});

test('R16: an engine that says it applied what is not in the history is not believed', async () => {
  // Keeps the history from being told, as an engine would that does nothing.
  const silenced: Migration = {
    name: '29990101000000_silenced',
    sql: 'CREATE RULE silenced AS ON UPDATE TO _prisma_migrations DO INSTEAD NOTHING;',
  };
  await expect(migrate(database.url, { migrations: [...all, silenced] })).rejects.toThrow(
    `These migrations were not applied: ${silenced.name}`,
  );
});

test('a migration that failed is applied once it is mended', async () => {
  await expect(migrate(database.url, { migrations: [...all, bad] })).rejects.toThrow(bad.name);
  expect(await migrate(database.url, { migrations: [...all, good] })).toEqual([good.name, 'write functions']);
  expect(await tables()).toContain('half_way');
});

test('write functions are installed again after their version was lost, and the newest text counts', async () => {
  await migrate(database.url);
  await queryOnce(
    database.url,
    `CREATE OR REPLACE FUNCTION write_time() RETURNS timestamptz LANGUAGE sql VOLATILE AS 'SELECT now()'`,
  );
  await queryOnce(database.url, `UPDATE function_versions SET digest = 'older'`);
  expect(await migrate(database.url)).toEqual(['write functions']);
  const [{ source } = { source: '' }] = await queryOnce<{ source: string }>(
    database.url,
    `SELECT prosrc AS source FROM pg_proc WHERE proname = 'write_time'`,
  );
  expect(source).toContain('clock_timestamp()');
});

test('migrating waits for whoever migrates now, and a failure lets the next one in', async () => {
  const results = await Promise.allSettled([
    migrate(database.url, { migrations: [...all, bad] }),
    migrate(database.url, { migrations: [...all, bad] }),
  ]);
  expect(results.map(({ status }) => status)).toEqual(['rejected', 'rejected']);
  const [{ n } = { n: -1 }] = await queryOnce<{ n: number }>(
    database.url,
    `SELECT count(*)::int AS n FROM pg_locks WHERE locktype = 'advisory' AND database = (SELECT oid FROM pg_database WHERE datname = current_database())`,
  );
  expect(n).toBe(0);
});
