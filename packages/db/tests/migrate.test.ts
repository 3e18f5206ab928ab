import { createHash } from 'node:crypto';
import { setTimeout as sleep } from 'node:timers/promises';
import { type TestDatabase, reportFigure } from '@crm/testing';
import { afterEach, beforeAll, beforeEach, expect, test } from '@jest/globals';
import pg from 'pg';
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

test('R16: of two parallel migrators, one applies everything and the other finds nothing to do', async () => {
  const started: string[] = [];
  const applied = await Promise.all(
    ['one', 'other'].map((name) => migrate(database.url, { onProgress: () => void started.push(name) })),
  );
  const names = all.map(({ name }) => name);
  // The second migrator waits, and then finds nothing to do.
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

test('a current database is not changed, and progress names only the pending migrations', async () => {
  const reported: (readonly string[])[] = [];
  const onProgress = (pending: readonly string[]): void => void reported.push(pending);
  expect(await migrate(database.url, { onProgress })).toHaveLength(all.length + 1);
  expect(await migrate(database.url, { onProgress })).toEqual([]);
  expect(await migrate(database.url, { onProgress, migrations: [...all, good] })).toEqual([good.name]);
  expect(reported).toEqual([all.map(({ name }) => name), [good.name]]);
});

test('R16: a migration with bad SQL is named and rolled back, and migrations before it stay applied', async () => {
  await expect(migrate(database.url, { migrations: [...all, bad] })).rejects.toThrow(bad.name);
  const left = await tables();
  reportFigure('R16', 'tables left of a migration with bad SQL', left.filter((name) => name === 'half_way').length, 0);
  expect(left).not.toContain('half_way');
  expect(left).toContain('opportunities');
});

test('R16: a migration that is missing in the history afterwards fails', async () => {
  const silenced: Migration = {
    name: '29990101000000_silenced',
    sql: 'CREATE RULE silenced AS ON UPDATE TO _prisma_migrations DO INSTEAD NOTHING;',
  };
  await expect(migrate(database.url, { migrations: [...all, silenced] })).rejects.toThrow(silenced.name);
});

test.each(['COMMIT', 'ROLLBACK', 'COMMIT; BEGIN'])('a migration with %s is refused', async (statement) => {
  const migrations = [...all, { ...good, sql: `${statement}; ${good.sql}` }];
  await expect(migrate(database.url, { migrations })).rejects.toThrow(`${good.name}: Error: it is not in the history`);
});

test('a failure shows the line of the migration and the error of the server', async () => {
  const sql = 'CREATE TABLE half_way (id int);\n\nSELECT 1 FROM halfway;';
  const failure = migrate(database.url, { migrations: [...all, { ...bad, sql }] });
  await expect(failure).rejects.toThrow(`${bad.name}, line 3: relation "halfway" does not exist`);
});

test('the history has the same rows as if Prisma had written it', async () => {
  await migrate(database.url, { migrations: [...all, good] });
  const rows = await queryOnce(
    database.url,
    `SELECT migration_name, checksum, logs, rolled_back_at, applied_steps_count, length(id) AS id,
            started_at < finished_at AS "takesTime" FROM _prisma_migrations ORDER BY started_at`,
  );
  const written = { logs: null, rolled_back_at: null, applied_steps_count: 1, id: 36, takesTime: true };
  expect(rows).toEqual(
    [...all, good].map(({ name, sql }) => ({
      ...written,
      migration_name: name,
      checksum: createHash('sha256').update(sql).digest('hex'),
    })),
  );
});

test('a migration that was edited after it was applied is refused, even if no migration is pending', async () => {
  await migrate(database.url, { migrations: [...all, good] });
  const edited: Migration = { ...good, sql: `${good.sql} -- edited` };
  const later: Migration = { name: '29990102000000_later', sql: 'CREATE TABLE later (id int);' };
  for (const migrations of [
    [...all, edited],
    [...all, edited, later],
  ]) {
    await expect(migrate(database.url, { migrations })).rejects.toThrow(
      `The file of ${good.name} has changed since it was applied to this database. Nothing was changed`,
    );
  }
  expect(await tables()).not.toContain('later');
});

test('a failed migration of prisma migrate deploy does not block later migrations', async () => {
  await migrate(database.url);
  await queryOnce(
    database.url,
    `INSERT INTO _prisma_migrations (id, checksum, migration_name, logs) VALUES ('failed', '', '${good.name}', 'Error')`,
  );
  expect(await migrate(database.url, { migrations: [...all, good] })).toEqual([good.name]);
  const unresolved = 'SELECT id FROM _prisma_migrations WHERE finished_at IS NULL AND rolled_back_at IS NULL';
  expect(await queryOnce(database.url, unresolved)).toEqual([]);
});

test("waits for Prisma's own commands, which hold a lock while they migrate", async () => {
  const prisma = new pg.Client({ connectionString: database.url });
  await prisma.connect();
  await prisma.query('SELECT pg_advisory_lock(72707369)');
  const applied = migrate(database.url);
  const waiting = `SELECT 1 FROM pg_stat_activity WHERE datname = current_database() AND wait_event = 'advisory'`;
  for (let i = 0; i < 500 && (await prisma.query(waiting)).rowCount === 0; i += 1) await sleep(10);
  expect(await tables()).toEqual([]);
  await prisma.end();
  expect(await applied).toContain('write functions');
});

test('a failed migration is applied after it was fixed', async () => {
  await expect(migrate(database.url, { migrations: [...all, bad] })).rejects.toThrow(bad.name);
  expect(await migrate(database.url, { migrations: [...all, good] })).toEqual([good.name, 'write functions']);
  expect(await tables()).toContain('half_way');
});

test('a migrator waits for a running one, and starts if that one fails', async () => {
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
