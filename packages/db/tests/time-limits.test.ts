import { once } from 'node:events';
import { setTimeout as sleep } from 'node:timers/promises';
import { readCitusUrl, readTestStack, startFaultProxy, startLimitedRole } from '@crm/testing';
import { afterEach, describe, expect, test } from '@jest/globals';
import { type AdministrationDatabase, openAdministrationDatabase } from '../src/administration-database.js';
import { type Database, type DatabaseOptions, openDatabase } from '../src/database.js';
import { queryOnce } from './support/database.js';

const organizationId = '00000000-0000-4000-8000-000000000001';
/** Takes a lock that only this test uses. */
const takeLock = { text: `SELECT pg_advisory_xact_lock(hashtext('time limits' || $1))::text`, values: [] };
const statement = { text: 'SELECT id FROM accounts WHERE organization_id = $1', values: [] };

const { databaseUrl } = readTestStack();
const applicationName = 'time-limits-test';
/** The other sessions of this test, in the condition of a statement. */
const ownSessions = `application_name = '${applicationName}' AND pid <> pg_backend_pid()`;
const opened: Database[] = [];

afterEach(async () => {
  await Promise.all(opened.splice(0).map((database) => database.close()));
});

const closedLater = <D extends Database>(database: D): D => {
  opened.push(database);
  return database;
};

const open = (options: Partial<DatabaseOptions> = {}): Database =>
  closedLater(openDatabase({ url: databaseUrl, applicationName, ...options }));

const administer = (options: Partial<DatabaseOptions> = {}): AdministrationDatabase =>
  closedLater(openAdministrationDatabase({ url: databaseUrl, applicationName, ...options }));

const settingsOf = ({ withConnection }: Database) =>
  withConnection((connection) =>
    connection.queryServer<Record<string, string>>(
      `SELECT current_setting('statement_timeout') AS statement, current_setting('lock_timeout') AS lock,
              current_setting('idle_in_transaction_session_timeout') AS idle,
              current_setting('max_parallel_workers_per_gather') AS workers, current_setting('plan_cache_mode') AS plans,
              current_setting('transaction_isolation') AS isolation, current_setting('jit') AS jit`,
      [],
    ),
  );

/** Expects the failure after which a retry can help. */
const expectUnavailable = (work: Promise<unknown>): Promise<void> =>
  expect(work).rejects.toMatchObject({ reason: { kind: 'unavailable' } });

describe('the default limits', () => {
  test('are 5 s, and one parallel worker for a statement, 3 s for a lock, 10 s for an idle transaction', async () => {
    const database = open();
    const limits = { statement: '5s', lock: '3s', idle: '10s' };
    const isolation = 'read committed';
    expect(await settingsOf(database)).toEqual({ ...limits, workers: '1', plans: 'auto', isolation, jit: 'off' });
    expect(await settingsOf(open({ isForReads: true }))).toMatchObject({
      plans: readCitusUrl() === null ? 'force_generic_plan' : 'auto',
    });
  });

  test('of commands are a minute for a statement and for an idle transaction, in both pools', async () => {
    const database = administer();
    const limits = { statement: '1min', lock: '3s', idle: '1min' };
    expect(await settingsOf(database)).toMatchObject(limits);
    const { rows } = await database.pool.query(`SELECT current_setting('statement_timeout') AS statement,
      current_setting('lock_timeout') AS lock, current_setting('idle_in_transaction_session_timeout') AS idle`);
    expect(rows).toEqual([limits]);
  });

  test('come with the isolation level of the writes, whatever the server, the role or the address says', async () => {
    const role = await startLimitedRole(databaseUrl, 'inbound');
    const url = new URL(role.url);
    await queryOnce(databaseUrl, `ALTER ROLE ${url.username} SET default_transaction_isolation = 'repeatable read'`);
    const ofAddress = '-c default_transaction_isolation=serializable -c max_parallel_workers_per_gather=3';
    url.searchParams.set('options', ofAddress);
    const expected = { isolation: 'read committed', workers: '3' };
    const database = openAdministrationDatabase({ url: url.href, applicationName });
    expect(await settingsOf(database)).toMatchObject(expected);
    const { rows } = await database.pool.query(
      `SELECT current_setting('transaction_isolation') AS isolation, current_setting('max_parallel_workers_per_gather') AS workers`,
    );
    expect(rows).toEqual([expected]);
    await database.close();
    await role.drop();
  });

  test('are not sent through PgBouncer, so that those of the role apply', async () => {
    const role = await startLimitedRole(databaseUrl, 'read');
    const url = new URL(role.url);
    url.searchParams.set('pgbouncer', 'true');
    const limits = ['statement_timeout = 1234', 'lock_timeout = 1235', 'idle_in_transaction_session_timeout = 1236'];
    for (const setting of [...limits, 'max_parallel_workers_per_gather = 7', 'plan_cache_mode = auto'])
      await queryOnce(databaseUrl, `ALTER ROLE ${url.username} SET ${setting}`);
    const database = openDatabase({ url: url.href, applicationName });
    const set = { statement: '1234ms', lock: '1235ms', idle: '1236ms' };
    expect(await settingsOf(database)).toMatchObject({ ...set, workers: '7', plans: 'auto' });
    await database.close();
    await role.drop();
  });
});

test('a statement that waits too long for a lock fails, and its caller may retry', async () => {
  const database = open({ lockTimeoutMs: 100 });
  const holder = await administer().pool.connect();
  await holder.query(`BEGIN; ${takeLock.text.replace('$1', `'${organizationId}'`)}`);
  const refusal = await database.query(organizationId, takeLock).catch((error: unknown) => error);
  await holder.query('ROLLBACK');
  holder.release();
  expect(refusal).toMatchObject({ reason: { kind: 'unavailable' }, cause: { code: '55P03' } });
  expect(await database.query(organizationId, takeLock)).toHaveLength(1);
});

test('a transaction that is idle too long is ended, and its locks are released', async () => {
  const client = await administer({ idleInTransactionTimeoutMs: 100 }).pool.connect();
  const ended = once(client, 'error');
  await client.query(`BEGIN; ${takeLock.text.replace('$1', `'${organizationId}'`)}`);
  expect(await ended).toMatchObject([{ code: '25P03' }]);
  client.release(true);
  expect(await open().query(organizationId, takeLock)).toHaveLength(1);
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

test('503 if the connection limit gives an organization no connection; others get one, and return it', async () => {
  let held = 0;
  const takeWithin = async (id: string) => (id === organizationId ? null : ((held += 1), () => void (held -= 1)));
  const database = open({ connectionLimit: { takeWithin } });
  await expectUnavailable(database.query(organizationId, statement));
  expect(database.connections.totalCount).toBe(0);
  expect(await database.query('00000000-0000-4000-8000-000000000002', statement)).toEqual([]);
  expect(held).toBe(0);
});

test('a statement that takes too long is ended by the server', async () => {
  const database = open({ statementTimeoutMs: 100 });
  const slow = database.query(organizationId, { text: 'SELECT pg_sleep(10) WHERE $1::uuid IS NOT NULL', values: [] });
  await expect(slow).rejects.toMatchObject({ reason: { kind: 'timeout' }, cause: { code: '57014' } });
  const active = () => queryOnce(databaseUrl, `SELECT FROM pg_stat_activity WHERE ${ownSessions} AND state = 'active'`);
  // The server reports the error a moment before the session is idle.
  for (let attempt = 0; attempt < 100 && (await active()).length > 0; attempt += 1) await sleep(10);
  expect(await active()).toEqual([]);
});

test('a connection on which the server does not respond is closed after the time limit', async () => {
  const proxy = await startFaultProxy(databaseUrl);
  const database = open({ url: proxy.url, statementTimeoutMs: 1_000, maxConnections: 1 });
  await database.query(organizationId, statement);
  proxy.silence();
  await expectUnavailable(database.query(organizationId, statement));
  await proxy.restore();
  expect(await database.query(organizationId, statement)).toEqual([]);
  await proxy.stop();
});
