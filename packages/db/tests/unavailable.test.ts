import { Failure } from '@crm/domain';
import { type LimitedRole, startLimitedRole, type TestDatabase } from '@crm/testing';
import { afterAll, afterEach, beforeAll, describe, expect, test } from '@jest/globals';
import pg from 'pg';
import { findApiKeyByHash } from '../src/api-keys.js';
import { isConnectionError } from '../src/database-errors.js';
import { type Database, openDatabase } from '../src/database.js';
import { createMigratedDatabase, queryOnce } from './support/database.js';

const organizationId = '00000000-0000-4000-8000-000000000001';
const statement = { text: 'SELECT id FROM accounts WHERE organization_id = $1', values: [] };

let testDatabase: TestDatabase;
let opened: Database[] = [];

beforeAll(async () => {
  testDatabase = await createMigratedDatabase();
  await queryOnce(
    testDatabase.url,
    `CREATE FUNCTION fail_with(p_state text) RETURNS void LANGUAGE plpgsql AS $$
     BEGIN RAISE EXCEPTION USING ERRCODE = p_state, MESSAGE = 'as if'; END $$`,
  );
});
afterEach(async () => {
  await Promise.all(opened.map((database) => database.close()));
  opened = [];
});
afterAll(() => testDatabase.drop());

const open = (change: (url: URL) => void = () => undefined): Database => {
  const url = new URL(testDatabase.url);
  change(url);
  // One connection, so that each statement runs in the state that the previous one left.
  const database = openDatabase({
    url: url.href,
    applicationName: 'unavailable-test',
    maxConnections: 1,
  });
  opened.push(database);
  return database;
};

/** The failure of `work`, and whether it means that the server is unreachable. */
const judge = async (work: Promise<unknown>) => {
  const error: unknown = await work.then(
    () => null,
    (thrown: unknown) => thrown,
  );
  return {
    kind: error instanceof Failure ? error.reason.kind : null,
    isAway: isConnectionError(error),
  };
};
const busy = { kind: 'unavailable', isAway: false };
const away = { ...busy, isAway: true };

const setOnDatabase = (setting: string): Promise<unknown> =>
  queryOnce(testDatabase.url, `DO $$ BEGIN EXECUTE format('ALTER DATABASE %I ${setting}', current_database()); END $$`);

describe('503: a server that refuses every connection', () => {
  test.each<[string, (url: URL) => void]>([
    ['because the password is wrong', (url) => (url.password = 'wrong')],
    ['because the role is unknown', (url) => (url.username = 'nobody_at_all')],
    ['because it does not have the database', (url) => (url.pathname = '/gone')],
    ['because it does not support TLS', (url) => url.searchParams.set('sslmode', 'require')],
    ['because its name is unknown', (url) => (url.hostname = 'database.invalid')],
  ])('%s', async (_what, change) => {
    expect(await judge(open(change).query(organizationId, statement))).toEqual(away);
    expect(await judge(findApiKeyByHash(open(change), Buffer.alloc(32)))).toEqual(away);
  });
});

describe('503: a server that cannot run one statement now, but others', () => {
  const failWith = (state: string) => ({ text: 'SELECT fail_with($2) WHERE $1::uuid IS NOT NULL', values: [state] });

  test.each([
    ['its disk is full', '53100', busy],
    ['its memory is full', '53200', busy],
    ['it has no connection left', '53300', away],
    ['it ended a transaction that took too long', '25P04', busy],
    ['it is shutting down', '57P01', away],
  ])('%s', async (_what, state, expected) => {
    const database = open();
    expect(await judge(database.query(organizationId, failWith(state)))).toEqual(expected);
    expect(await database.query(organizationId, statement)).toEqual([]);
  });

  test('a statement that exceeds its temporary disk space is a timeout, so that the caller narrows the request', async () => {
    await setOnDatabase(`SET temp_file_limit = 64`);
    await setOnDatabase(`SET work_mem = 64`);
    const text = 'SELECT n FROM generate_series(1, 300000) n WHERE $1::uuid IS NOT NULL ORDER BY n DESC OFFSET 299999';
    const refused = open().query(organizationId, { text, values: [] });
    expect(await judge(refused)).toEqual({ kind: 'timeout', isAway: false });
    await setOnDatabase('RESET temp_file_limit');
  });

  test('after a primary became read-only, the next statement connects again', async () => {
    await setOnDatabase('SET default_transaction_read_only = on');
    const database = open();
    const text = `UPDATE accounts SET version = version + 1 WHERE organization_id = $1`;
    expect(await judge(database.query(organizationId, { text, values: [] }))).toEqual(busy);
    await queryOnce(
      testDatabase.url,
      `BEGIN READ WRITE; DO $$ BEGIN EXECUTE format('ALTER DATABASE %I RESET default_transaction_read_only', current_database()); END $$; COMMIT`,
    );
    expect(await database.query(organizationId, { text, values: [] })).toEqual([]);
  });
});

describe('200: a server whose other connections are all in use', () => {
  const connections = 3;
  const open = async (poolWaitMs?: number): Promise<{ database: Database; role: LimitedRole }> => {
    const role = await startLimitedRole(testDatabase.url);
    await queryOnce(testDatabase.url, `ALTER ROLE ${new URL(role.url).username} CONNECTION LIMIT ${connections}`);
    const database = openDatabase({
      url: role.url,
      applicationName: 'unavailable-test',
      maxConnections: 10,
      poolWaitMs,
    });
    return { database, role };
  };
  /** A statement that runs longer than the server needs to refuse a connection. */
  const slow = { text: 'SELECT pg_sleep(0.05) WHERE $1::uuid IS NOT NULL', values: [] };
  // Several organizations, because one alone may not use all connections.
  const organizations = Array.from({ length: 60 }, (_, index) => `${organizationId.slice(0, -2)}${index + 10}`);

  test('callers wait for the connections that the pool has', async () => {
    const { database, role } = await open();
    try {
      await database.ping();
      const outcomes = await Promise.allSettled(organizations.map((id) => database.query(id, slow)));
      expect(outcomes.filter(({ status }) => status === 'rejected')).toEqual([]);
      expect(database.connections.totalCount).toBe(connections);
    } finally {
      await database.close();
      await role.drop();
    }
  });

  test('callers get 503 at once if the pool has no connection, and otherwise if none becomes free in time', async () => {
    const { database, role } = await open(300);
    const others = Array.from({ length: connections }, () => new pg.Client({ connectionString: role.url }));
    try {
      await Promise.all(others.map((client) => client.connect()));
      expect(await judge(database.ping())).toEqual(away);
      await others.pop()?.end();
      await database.ping();
      const holder = database.withConnection((connection) => connection.queryServer('SELECT pg_sleep(1)', []));
      expect(await judge(database.query(organizationId, statement))).toEqual(away);
      await holder;
      expect(await database.query(organizationId, statement)).toEqual([]);
    } finally {
      await Promise.all(others.map((client) => client.end()));
      await database.close();
      await role.drop();
    }
  });
});
