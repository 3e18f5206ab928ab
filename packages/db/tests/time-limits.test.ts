import { once } from 'node:events';
import { setTimeout as sleep } from 'node:timers/promises';
import { startFaultProxy, type TestDatabase } from '@crm/testing';
import { afterEach, beforeEach, describe, expect, test } from '@jest/globals';
import { type AdministrationDatabase, openAdministrationDatabase } from '../src/administration-database.js';
import { type Database, type DatabaseOptions, openDatabase } from '../src/database.js';
import { createMigratedDatabase, queryOnce } from './support/database.js';

const organizationId = '00000000-0000-4000-8000-000000000001';
const statement = { text: 'SELECT id FROM accounts WHERE organization_id = $1', values: [] };

let testDatabase: TestDatabase;
let opened: Database[];

beforeEach(async () => {
  opened = [];
  testDatabase = await createMigratedDatabase();
});
afterEach(async () => {
  await Promise.all(opened.map((database) => database.close()));
  await testDatabase.drop();
});

const withDefaults = (options: Partial<DatabaseOptions>): DatabaseOptions => ({
  url: testDatabase.url,
  applicationName: 'time-limits-test',
  ...options,
});

const closedLater = <D extends Database>(database: D): D => {
  opened.push(database);
  return database;
};

const open = (options: Partial<DatabaseOptions> = {}): Database => closedLater(openDatabase(withDefaults(options)));

const administer = (options: Partial<DatabaseOptions> = {}): AdministrationDatabase =>
  closedLater(openAdministrationDatabase(withDefaults(options)));

const settingsOf = ({ withConnection }: Database) =>
  withConnection((connection) =>
    connection.queryServer<Record<string, string>>(
      `SELECT current_setting('statement_timeout') AS statement, current_setting('lock_timeout') AS lock,
              current_setting('idle_in_transaction_session_timeout') AS idle,
              current_setting('max_parallel_workers_per_gather') AS workers`,
      [],
    ),
  );

/** Expects the failure after which a retry can help. */
const expectUnavailable = (work: Promise<unknown>): Promise<void> =>
  expect(work).rejects.toMatchObject({ reason: { kind: 'unavailable' } });

describe('the default limits', () => {
  test('are 5 s and one parallel worker for a statement, 3 s for a lock, 10 s for an idle transaction', async () => {
    const database = open();
    expect(await settingsOf(database)).toEqual({ statement: '5s', lock: '3s', idle: '10s', workers: '1' });
  });

  test('are not sent through PgBouncer, so that those of the role apply', async () => {
    const url = new URL(testDatabase.url);
    url.searchParams.set('pgbouncer', 'true');
    const role = 'statement_timeout = 1234, lock_timeout = 1235, idle_in_transaction_session_timeout = 1236, ';
    for (const setting of `${role}max_parallel_workers_per_gather = 7`.split(', ')) {
      await queryOnce(
        testDatabase.url,
        `DO $$ BEGIN EXECUTE format('ALTER DATABASE %I SET ${setting}', current_database()); END $$`,
      );
    }
    const database = open({ url: url.href });
    expect(await settingsOf(database)).toEqual({ statement: '1234ms', lock: '1235ms', idle: '1236ms', workers: '7' });
  });
});

test('a statement that waits too long for a lock fails, and its caller may retry', async () => {
  const database = open({ lockTimeoutMs: 100 });
  const holder = await administer().pool.connect();
  await holder.query('BEGIN; LOCK TABLE accounts IN ACCESS EXCLUSIVE MODE');
  const refused = database.query(organizationId, statement);
  await expectUnavailable(refused);
  await expect(refused).rejects.toMatchObject({ cause: { code: '55P03' } });
  await holder.query('ROLLBACK');
  holder.release();
  expect(await database.query(organizationId, statement)).toEqual([]);
});

test('a transaction that is idle too long is ended, and its locks are released', async () => {
  const client = await administer({ idleInTransactionTimeoutMs: 100 }).pool.connect();
  const ended = once(client, 'error');
  await client.query('BEGIN; LOCK TABLE accounts IN ACCESS EXCLUSIVE MODE');
  expect(await ended).toMatchObject([{ code: '25P03' }]);
  client.release(true);
  expect(await open().query(organizationId, statement)).toEqual([]);
});

test('a statement that waits too long for a connection is not sent, and its caller may retry', async () => {
  const database = open({ maxConnections: 1, poolWaitMs: 2_000 });
  let release = (): void => undefined;
  const holder = database.withConnection(() => new Promise<void>((resolve) => (release = resolve)));
  const refused = database.query(organizationId, statement);
  await expectUnavailable(refused);
  await expect(refused).rejects.toMatchObject({
    cause: { message: 'timeout exceeded when trying to connect' },
  });
  release();
  await holder;
  expect(await database.query(organizationId, statement)).toEqual([]);
});

test('a command waits longer for a connection than a gateway does', async () => {
  const [gateway, command] = [open({ maxConnections: 1 }), administer({ maxConnections: 1 })];
  let release = (): void => undefined;
  const held = new Promise<void>((resolve) => (release = resolve));
  const holders = [gateway, command].map((database) => database.withConnection(() => held));
  const waiting = command.query(organizationId, statement);
  await expectUnavailable(gateway.query(organizationId, statement));
  release();
  expect(await waiting).toEqual([]);
  await Promise.all(holders);
});

describe('an organization with slow statements', () => {
  const other = '00000000-0000-4000-8000-000000000002';
  const slowly = { text: 'SELECT pg_sleep(60) WHERE $1::uuid IS NOT NULL', values: [] };

  test('does not get the last connections, which are reserved for others', async () => {
    const database = open({ maxConnections: 5, poolWaitMs: 2_000 });
    const slow = Array.from({ length: 10 }, () => database.query(organizationId, slowly).catch((e: unknown) => e));
    const refused = await Promise.race(slow);
    expect(refused).toMatchObject({ reason: { kind: 'unavailable' } });
    expect(await database.query(other, statement)).toEqual([]);
    expect(database.connections).toMatchObject({ totalCount: 5, idleCount: 1, waitingCount: 0 });
    await queryOnce(
      testDatabase.url,
      `SELECT pg_cancel_backend(pid) FROM pg_stat_activity WHERE datname = current_database() AND query LIKE '%pg_sleep(60)%' AND pid <> pg_backend_pid()`,
    );
    await Promise.all(slow);
    expect(await database.query(organizationId, statement)).toEqual([]);
  });

  test('uses at most its share of connections for parallel statements', async () => {
    const database = open({ maxConnections: 5, poolWaitMs: 60_000 });
    const counts = await Promise.all(
      Array.from({ length: 50 }, () =>
        database.query<{ n: number }>(organizationId, {
          text: `SELECT count(*)::int AS n FROM pg_stat_activity, pg_sleep(0.01)
                  WHERE $1::uuid IS NOT NULL AND datname = current_database() AND state = 'active'`,
          values: [],
        }),
      ),
    );
    expect(Math.max(...counts.map(([row]) => row?.n ?? 0))).toBeLessThanOrEqual(4);
    expect(database.connections.totalCount).toBeLessThanOrEqual(4);
  });
});

test('a statement that takes too long is ended by the server', async () => {
  const database = open({ statementTimeoutMs: 100 });
  const slow = database.query(organizationId, { text: 'SELECT pg_sleep(60) WHERE $1::uuid IS NOT NULL', values: [] });
  await expect(slow).rejects.toMatchObject({ reason: { kind: 'timeout' }, cause: { code: '57014' } });
  const text = `SELECT FROM pg_stat_activity WHERE datname = current_database() AND state = 'active' AND query LIKE '%pg_sleep%' AND pid <> pg_backend_pid()`;
  const active = () => queryOnce(testDatabase.url, text);
  // The server reports the error a moment before the session is idle.
  for (let attempt = 0; attempt < 100 && (await active()).length > 0; attempt += 1) await sleep(10);
  expect(await active()).toEqual([]);
});

test('a connection on which the server does not respond is closed after the time limit', async () => {
  const proxy = await startFaultProxy(testDatabase.url);
  const database = open({ url: proxy.url, statementTimeoutMs: 1_000, maxConnections: 1 });
  await database.query(organizationId, statement);
  proxy.silence();
  await expectUnavailable(database.query(organizationId, statement));
  await proxy.restore();
  expect(await database.query(organizationId, statement)).toEqual([]);
  await proxy.stop();
});
