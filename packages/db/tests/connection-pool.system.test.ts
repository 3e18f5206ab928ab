import { once } from 'node:events';
import { type AddressInfo, connect, createServer, type Server, type Socket } from 'node:net';
import { setFlagsFromString } from 'node:v8';
import { runInNewContext } from 'node:vm';
import { type LimitedRole, readTestStack, startLimitedRole } from '@crm/testing';
import { afterAll, afterEach, beforeAll, describe, expect, test } from '@jest/globals';
import { type Database, type DatabaseOptions, openDatabase } from '../src/database.js';

const organizations = Array.from({ length: 1_010 }, (_, n) => `00000000-0000-4000-8000-${String(n).padStart(12, '0')}`);
const [organizationId = ''] = organizations;
const statement = { text: 'SELECT id FROM accounts WHERE organization_id = $1', values: [] };
/** The failure after which a retry may succeed. */
const retryLater = { reason: { kind: 'unavailable' } };

const { databaseUrl: url } = readTestStack();
let role: LimitedRole;
let stops: (() => unknown)[] = [];

beforeAll(async () => {
  role = await startLimitedRole(url, 'read');
});
afterEach(async () => {
  for (const stop of stops.reverse()) await stop();
  stops = [];
});
afterAll(() => role.drop());

const open = (options: Partial<DatabaseOptions> = {}): Database => {
  const database = openDatabase({ url, applicationName: 'pool-test', maxConnections: 1, ...options });
  stops.push(() => database.close());
  return database;
};

const outcomeOf = (work: Promise<unknown>): Promise<unknown> => work.catch((error: unknown) => error);

describe('callers that wait for a connection', () => {
  test('are rejected after the time limit, and at most a thousand wait at once', async () => {
    const waits: number[] = [];
    const database = open({ poolWaitMs: 1_000, onConnectionWait: (waitMs) => waits.push(waitMs) });
    let release = (): void => undefined;
    let hasBegun = (): void => undefined;
    const begun = new Promise<void>((resolve) => (hasBegun = resolve));
    const holder = database.withConnection(() => {
      hasBegun();
      return new Promise<void>((resolve) => (release = resolve));
    });
    stops.push(() => release());
    await Promise.race([begun, holder]);
    const outcomes = organizations.map((id) => outcomeOf(database.query(id, statement)));
    // All of them wait already. Later, a busy machine may have ended the wait of some.
    expect(database.connections.waitingCount).toBe(1_000);
    const refusal = { ...retryLater, cause: { message: 'timeout exceeded when trying to connect' } };
    expect(await Promise.all(outcomes)).toMatchObject(Array(1_010).fill(refusal));
    expect(database.connections).toMatchObject({ totalCount: 1, idleCount: 0, waitingCount: 0 });
    expect(waits).toHaveLength(1 + organizations.length);
    release();
    await holder;
    expect(await database.query(organizationId, statement)).toEqual([]);
  });

  test('are served in order', async () => {
    const database = open();
    const order: number[] = [];
    await Promise.all(
      organizations.slice(0, 20).map((id, index) => database.query(id, statement).then(() => order.push(index))),
    );
    expect(order).toEqual(Array.from({ length: 20 }, (_, index) => index));
  });

  test('are rejected when the pool is closed, which waits for running work', async () => {
    const database = open();
    await database.ping();
    const text = 'SELECT pg_sleep(0.2)::text AS slept WHERE $1::uuid IS NOT NULL';
    const running = database.query(organizationId, { text, values: [] });
    const waiting = outcomeOf(database.query(organizations[1] ?? '', statement));
    await new Promise(setImmediate);
    await database.close();
    expect(await running).toEqual([{ slept: '' }]);
    expect(await waiting).toMatchObject({ message: 'The pool is closed' });
  });
});

/** Starts a proxy that closes each connection cleanly after it has forwarded a number of chunks from the server. */
const startClosing = async (targetUrl: string) => {
  const target = new URL(targetUrl);
  const { port, hostname } = target;
  let chunks = 0;
  let accepted = 0;
  const onClient = (client: Socket): unknown => {
    accepted += 1;
    let left = chunks;
    if (left === 0) return client.end();
    const upstream = connect(Number(port), hostname);
    for (const socket of [client, upstream]) socket.on('error', () => undefined);
    client.pipe(upstream);
    upstream.on('data', (bytes) => {
      client.write(bytes);
      left -= 1;
      if (left === 0) client.end();
    });
    client.on('close', () => upstream.destroy());
    return upstream.on('close', () => client.end());
  };
  const server: Server = createServer(onClient).listen(0, '127.0.0.1');
  await once(server, 'listening');
  stops.push(() => server.close());
  target.host = `127.0.0.1:${(server.address() as AddressInfo).port}`;
  return { url: target.href, closeAfter: (count: number) => (chunks = count), accepted: () => accepted };
};

describe('a server that closes connections cleanly again and again', () => {
  test.each([
    ['at once', 0],
    ['when it should ask for the password', 1],
    ['while the password is checked', 2],
  ])('%s: each query fails after one attempt, and queries work again with the server', async (_when, chunks) => {
    const closing = await startClosing(role.url);
    const database = open({ url: closing.url });
    closing.closeAfter(chunks);
    for (let attempt = 1; attempt <= 5; attempt += 1) {
      expect(await outcomeOf(database.query(organizationId, statement))).toMatchObject(retryLater);
      expect(closing.accepted()).toBe(attempt);
    }
    expect(await outcomeOf(database.probe())).toBeInstanceOf(Error);
    expect(database.connections).toMatchObject({ totalCount: 0, waitingCount: 0 });
    closing.closeAfter(Number.POSITIVE_INFINITY);
    expect(await database.query(organizationId, statement)).toEqual([]);
  });
});

test('failed statements do not leak memory', async () => {
  setFlagsFromString('--expose-gc');
  const collect = runInNewContext('gc') as () => void;
  const database = open();
  const megabyte = 1024 * 1024;
  const failing = (n: number) => ({ text: `SELECT 1 / 0, $1::uuid -- ${n} ${'x'.repeat(megabyte / 4)}`, values: [] });
  const fail = async (count: number): Promise<number> => {
    for (let n = 0; n < count; n += 1) {
      expect(await outcomeOf(database.query(organizationId, failing(n)))).toMatchObject({ code: '22012' });
    }
    collect();
    return process.memoryUsage().heapUsed;
  };
  const before = await fail(5);
  // If each text stayed in memory, it would be 10 MB.
  expect((await fail(40)) - before).toBeLessThan(4 * megabyte);
});
