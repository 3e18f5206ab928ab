import { Failure } from '@crm/domain';
import { type LimitedRole, readTestStack, startLimitedRole } from '@crm/testing';
import { afterEach, beforeEach, describe, expect, test } from '@jest/globals';
import pg from 'pg';
import { findApiKeysByHash } from '../src/api-keys.js';
import { isConnectionError } from '../src/database-errors.js';
import { type Database, type DatabaseOptions, openDatabase } from '../src/database.js';
import { queryOnce } from './support/database.js';

const organizationId = '00000000-0000-4000-8000-000000000001';
const statement = { text: 'SELECT id FROM accounts WHERE organization_id = $1', values: [] };

const { databaseUrl } = readTestStack();
let role: LimitedRole;
const opened: Database[] = [];

beforeEach(async () => {
  role = await startLimitedRole(databaseUrl, 'inbound');
});
afterEach(async () => {
  await Promise.all(opened.splice(0).map((database) => database.close()));
  await role.drop();
});

/** By default with one connection, so that each statement runs in the state that the previous one left. */
const open = (options: Partial<DatabaseOptions> = {}): Database => {
  const database = openDatabase({ url: role.url, applicationName: 'unavailable-test', maxConnections: 1, ...options });
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

const alterRole = (change: string): Promise<unknown> =>
  queryOnce(databaseUrl, `ALTER ROLE ${new URL(role.url).username} ${change}`);

describe('503: a server that refuses every connection', () => {
  test.each<[string, (url: URL) => void]>([
    ['because the password is wrong', (url) => (url.password = 'wrong')],
    ['because the role is unknown', (url) => (url.username = 'nobody_at_all')],
    ['because it does not have the database', (url) => (url.pathname = '/gone')],
    ['because it does not support TLS', (url) => url.searchParams.set('sslmode', 'require')],
    ['because its name is unknown', (url) => (url.hostname = 'database.invalid')],
  ])('%s', async (_what, change) => {
    const url = new URL(role.url);
    change(url);
    const database = open({ url: url.href });
    expect(await judge(database.query(organizationId, statement))).toEqual(away);
    expect(await judge(findApiKeysByHash(database, [Buffer.alloc(32)]))).toEqual(away);
  });
});

describe('503: a server that cannot run one statement now, but others', () => {
  const failWith = (state: string) => ({
    text: 'SELECT pg_temp.fail_with($2)::text WHERE $1::uuid IS NOT NULL',
    values: [state],
  });
  const createFailWith = `CREATE FUNCTION pg_temp.fail_with(p_state text) RETURNS void LANGUAGE plpgsql AS $$
    BEGIN RAISE EXCEPTION USING ERRCODE = p_state, MESSAGE = 'as if'; END $$`;

  test.each([
    ['its disk is full', '53100', busy],
    ['its memory is full', '53200', busy],
    ['it has no connection left', '53300', away],
    ['it ended a transaction that took too long', '25P04', busy],
    ['it is shutting down', '57P01', away],
  ])('%s', async (_what, state, expected) => {
    const database = open({ url: databaseUrl });
    await database.queryServer({ text: createFailWith });
    expect(await judge(database.query(organizationId, failWith(state)))).toEqual(expected);
    expect(await database.query(organizationId, statement)).toEqual([]);
  });

  test('a statement that exceeds its temporary disk space is a timeout, so that the caller narrows the request', async () => {
    await alterRole('SET temp_file_limit = 64');
    await alterRole('SET work_mem = 64');
    const text = 'SELECT n FROM generate_series(1, 50000) n WHERE $1::uuid IS NOT NULL ORDER BY n DESC OFFSET 49999';
    const refused = open().query(organizationId, { text, values: [] });
    expect(await judge(refused)).toEqual({ kind: 'timeout', isAway: false });
  });

  test('after a primary became read-only, the next statement connects again', async () => {
    await alterRole('SET default_transaction_read_only = on');
    const database = open();
    const text = `UPDATE accounts SET version = version + 1 WHERE organization_id = $1`;
    expect(await judge(database.query(organizationId, { text, values: [] }))).toEqual(busy);
    await alterRole('RESET default_transaction_read_only');
    expect(await database.query(organizationId, { text, values: [] })).toEqual([]);
  });
});

describe('200: a server whose other connections are all in use', () => {
  const connections = 3;
  beforeEach(() => alterRole(`CONNECTION LIMIT ${connections}`));
  /** A statement that runs longer than the server needs to refuse a connection. */
  const slow = { text: 'SELECT pg_sleep(0.05) WHERE $1::uuid IS NOT NULL', values: [] };
  // Several organizations, because one alone may not use all connections.
  const organizations = Array.from({ length: 30 }, (_, index) => `${organizationId.slice(0, -2)}${index + 10}`);

  test('callers wait for the connections that the pool has', async () => {
    const database = open({ maxConnections: 10 });
    await database.ping();
    const outcomes = await Promise.allSettled(organizations.map((id) => database.query(id, slow)));
    expect(outcomes.filter(({ status }) => status === 'rejected')).toEqual([]);
    expect(database.connections.totalCount).toBe(connections);
  });

  test('callers get 503 at once if the pool has no connection, and otherwise if none becomes free in time', async () => {
    const database = open({ maxConnections: 10, poolWaitMs: 300 });
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
    }
  });
});
