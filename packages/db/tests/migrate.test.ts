import { createHash } from 'node:crypto';
import { setTimeout as sleep } from 'node:timers/promises';
import { readTestStack, reportFigure } from '@crm/testing';
import { expect, test } from '@jest/globals';
import pg from 'pg';
import { migrate } from '../src/migrate/migrate.js';
import type { Migration } from '../src/migrate/migrations.js';
import { queryOnce } from './support/database.js';
import { useSmallHistory } from './support/small-history.js';

const { url, names, upgrade, tables } = useSmallHistory();

const good: Migration = { name: '29990101000000_good', sql: 'CREATE TABLE half_way (id int);' };
const bad: Migration = { ...good, sql: `${good.sql}\n\nALTER TABLE half_way ADD COLUMN broken no_such_type;` };

test('R16: of two parallel migrators, one applies everything and the other finds nothing to do', async () => {
  const started: string[] = [];
  const slow: Migration = { ...good, sql: `SELECT pg_sleep(0.2); ${good.sql}` };
  const migrators = ['one', 'other'].map((name) => upgrade([slow], { onProgress: () => void started.push(name) }));
  const applied = await Promise.all(migrators.map((running) => running.catch(String)));
  const count = applied.filter((of) => of.length > 0).length;
  reportFigure('R16', 'of two migrators at once, those that applied anything', count, 1);
  expect(started).toHaveLength(1);
  expect(applied.sort((a, b) => a.length - b.length)).toEqual([[], [...names(), slow.name, 'write functions']]);
});

test('a current database is not changed, and progress names only the pending migrations', async () => {
  const reported: (readonly string[])[] = [];
  const onProgress = (pending: readonly string[]): void => void reported.push(pending);
  await upgrade();
  expect(await upgrade([], { onProgress })).toEqual([]);
  expect(await upgrade([good], { onProgress })).toEqual([good.name]);
  expect(reported).toEqual([[good.name]]);
  expect(await migrate(readTestStack().databaseUrl, { onProgress })).toEqual([]);
});

test('R16: bad SQL is named with its line and rolled back, and is applied after it was fixed', async () => {
  await expect(upgrade([bad])).rejects.toThrow(`${bad.name}, line 3: type "no_such_type" does not exist`);
  const left = await tables();
  reportFigure('R16', 'tables left of a migration with bad SQL', left.filter((name) => name === 'half_way').length, 0);
  expect(left).not.toContain('half_way');
  expect(left).toContain('function_versions');
  expect(await upgrade([good])).toEqual([good.name, 'write functions']);
  expect(await tables()).toContain('half_way');
});

test('R16: a migration that is missing in the history afterwards fails', async () => {
  const sql = 'CREATE RULE silenced AS ON UPDATE TO _prisma_migrations DO INSTEAD NOTHING;';
  await expect(upgrade([{ ...good, sql }])).rejects.toThrow(good.name);
  for (const statement of ['COMMIT', 'COMMIT; BEGIN'])
    await expect(upgrade([{ ...good, sql: `${statement}; SELECT 1` }])).rejects.toThrow(
      `${good.name}: Error: it is not in the history`,
    );
});

test('the history has the same rows as if Prisma had written it', async () => {
  await upgrade([good]);
  const rows = await queryOnce(
    url(),
    `SELECT migration_name, checksum, logs, rolled_back_at, applied_steps_count, length(id) AS id,
            started_at < finished_at AS "takesTime" FROM _prisma_migrations ORDER BY started_at`,
  );
  expect(rows).toHaveLength(names().length + 1);
  expect(rows.at(-1)).toEqual({
    ...{ logs: null, rolled_back_at: null, applied_steps_count: 1, id: 36, takesTime: true },
    ...{ migration_name: good.name, checksum: createHash('sha256').update(good.sql).digest('hex') },
  });
});

test('a migration that was edited after it was applied is refused, even if no migration is pending', async () => {
  await upgrade([good]);
  const edited: Migration = { ...good, sql: `${good.sql} -- edited` };
  const later: Migration = { name: '29990102000000_later', sql: 'CREATE TABLE later (id int);' };
  for (const added of [[edited], [edited, later]]) {
    await expect(upgrade(added)).rejects.toThrow(
      `The file of ${good.name} has changed since it was applied to this database. Nothing was changed`,
    );
  }
  expect(await tables()).not.toContain('later');
});

test('a failed migration of prisma migrate deploy does not block later migrations', async () => {
  await upgrade();
  const columns = 'id, checksum, migration_name, logs';
  await queryOnce(url(), `INSERT INTO _prisma_migrations (${columns}) VALUES ('failed', '', '${good.name}', 'Error')`);
  expect(await upgrade([good])).toEqual([good.name]);
  const unresolved = 'SELECT id FROM _prisma_migrations WHERE finished_at IS NULL AND rolled_back_at IS NULL';
  expect(await queryOnce(url(), unresolved)).toEqual([]);
});

test("waits for Prisma's own commands, which hold a lock while they migrate", async () => {
  const prisma = new pg.Client({ connectionString: url() });
  await prisma.connect();
  await prisma.query('SELECT pg_advisory_lock(72707369)');
  const applied = upgrade();
  const waiting = `SELECT 1 FROM pg_stat_activity WHERE datname = current_database() AND wait_event = 'advisory'`;
  for (let i = 0; i < 500 && (await prisma.query(waiting)).rowCount === 0; i += 1) await sleep(10);
  expect(await tables()).toEqual([]);
  await prisma.end();
  expect(await applied).toContain('write functions');
});
