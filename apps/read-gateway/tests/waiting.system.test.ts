import { setTimeout as sleep } from 'node:timers/promises';
import { getLatestPosition, listAccounts, listEvents } from '@crm/contract';
import { type Database, openDatabase } from '@crm/db';
import { type TestOrganization, until } from '@crm/testing';
import { afterAll, afterEach, beforeAll, beforeEach, describe, expect, test } from '@jest/globals';
import { startTestGateway, type TestGateway, useGateway } from './support/gateway.js';

/** How long a gateway trusts a key that it has looked up. */
const keyCacheMaxAgeMs = 2_000;

const gateway = useGateway(startTestGateway);
/** A gateway in this process with two connections and few places, whose reads and polls are counted. */
let one: Awaited<ReturnType<typeof start>>;
let counts: { reads: number; readonly polls: (readonly string[])[] };
let database: Database;
let organization: TestOrganization;
/** Ends the requests that a test has left waiting. */
let leave: AbortController;

beforeAll(async () => {
  ({ database, counts } = countingDatabase());
  one = await start({ environment: { MAX_IN_FLIGHT: '10' }, database });
});
afterAll(() => database.close());
beforeEach(async () => {
  organization = await gateway.createOrganization();
  leave = new AbortController();
  counts.reads = 0;
  counts.polls.length = 0;
});
afterEach(() => leave.abort());

const records = () => gateway.records(organization);
const open = (maxConnections: number): Database =>
  openDatabase({ url: gateway.gatewayUrl, applicationName: 'waiting-test', maxConnections });

interface Answer {
  readonly status: number;
  readonly retryAfter: string | null;
  readonly message: string;
  readonly positions: readonly number[];
  readonly next: number | undefined;
}

/** Asks for events. The request ends with the test. */
const ask = async (url: string, query: string, { key } = organization, { signal } = leave): Promise<Answer> => {
  const response = await fetch(`${url}/v1/events?${query}`, { headers: { 'x-api-key': key }, signal });
  const { data, message } = (await response.json()) as {
    readonly message: string;
    readonly data?: { readonly events: readonly { readonly position: number }[]; readonly next_position: number };
  };
  return {
    status: response.status,
    retryAfter: response.headers.get('retry-after'),
    message,
    positions: data?.events.map(({ position }) => position) ?? [],
    next: data?.next_position,
  };
};

const start = async (options: Parameters<TestGateway['start']>[0] = {}) => {
  const started = await gateway.start(options);
  return { ...started, untilWaiting: (count: number) => until(() => started.activity.waiting() === count) };
};

/** A database that counts the reads of events and notes which organizations each poll asks about. */
const countingDatabase = () => {
  const own = open(2);
  const noted = { reads: 0, polls: [] as (readonly string[])[] };
  const counting: Database = {
    ...own,
    query: (organizationId, statement) => {
      if (statement.text.includes('FROM events')) noted.reads += 1;
      return own.query(organizationId, statement);
    },
    queryServer: (statement) => {
      if (statement.text.includes('event_heads')) noted.polls.push(statement.values?.[0] as readonly string[]);
      return own.queryServer(statement);
    },
  };
  return { database: counting, counts: noted };
};

/** Resolves without an error when the request ends with its test. */
const forgotten = (answer: Promise<Answer>): Promise<Answer | null> => answer.catch(() => null);

describe('200', () => {
  test('returns an existing event at once, and an empty page after the wait without one', async () => {
    await records().addAccount('here.example', 'Here');
    expect(await ask(gateway.url, 'wait=30')).toMatchObject({ status: 200, positions: [1] });
    expect(await ask(gateway.url, 'after=1&wait=1')).toMatchObject({ status: 200, positions: [], next: 1 });
  });

  test('wakes the callers of the organization that wrote, and no others; one that hangs up stops waiting', async () => {
    const stranger = await gateway.createOrganization();
    const other = forgotten(ask(one.url, 'wait=30', stranger));
    const waiting = Array.from({ length: 3 }, () => ask(one.url, 'after=0&wait=30'));
    await one.untilWaiting(4);
    await records().addAccount('new.example', 'New');
    for (const answer of await Promise.all(waiting))
      expect(answer).toMatchObject({ status: 200, positions: [1], next: 1 });
    expect(one.activity.waiting()).toBe(1);
    leave.abort();
    await one.untilWaiting(0);
    expect(await other).toBeNull();
  });

  test('waits past events that a filter leaves out until one matches', async () => {
    const waiting = ask(one.url, 'object=contact&wait=30');
    await one.untilWaiting(1);
    await records().addAccount('passed.example', 'Passed over');
    await until(() => counts.reads === 2);
    await one.untilWaiting(1);
    await records().addContact('ann@passed.example', 'Ann', null);
    expect(await waiting).toMatchObject({ positions: [2], next: 2 });
  });

  test('returns an empty filtered page at once if it ends before the end of the log', async () => {
    await records().addAccount('many.example', 'Many');
    const { pool } = gateway.database;
    await pool.query(
      `INSERT INTO events (organization_id, position, occurred_at, id, type, object, record_id, version, changed, bytes)
       SELECT organization_id, 1 + n, occurred_at, gen_random_uuid(), 'account.updated', object, record_id, version, '{}', 0
         FROM events, generate_series(1, 10004) n WHERE organization_id = $1`,
      [organization.id],
    );
    await pool.query('UPDATE event_heads SET position = 10005 WHERE organization_id = $1', [organization.id]);
    expect(await ask(gateway.url, 'object=note&wait=30')).toMatchObject({ positions: [], next: 10_000 });
    expect(await ask(gateway.url, 'object=note&after=10000')).toMatchObject({ positions: [], next: 10_005 });
  });

  test('lets many callers wait without a connection or a place, and one write answers them all', async () => {
    const waiting: Promise<Answer>[] = [];
    while (waiting.length < 60) {
      for (let index = 0; index < 4; index += 1) waiting.push(ask(one.url, 'wait=30'));
      await one.untilWaiting(waiting.length);
    }
    expect([one.activity.inFlight(), one.activity.answerBytes()]).toEqual([0, 0]);
    const { key } = organization;
    const reads = await Promise.all(Array.from({ length: 8 }, () => one.client.call(listAccounts, { key })));
    expect(reads.map(({ status }) => status)).toEqual(reads.map(() => 200));
    await records().addAccount('wake.example', 'Wake');
    const answers = await Promise.all(waiting);
    expect(answers.filter(({ status, positions }) => status === 200 && positions.length === 1)).toHaveLength(60);
  });

  test('polls for all organizations with one statement, and a request reads only when there is a new event', async () => {
    const second = await gateway.createOrganization();
    const waiting = [organization, organization, second].map(({ key }) =>
      one.client.call(listEvents, { query: 'wait=30', key }),
    );
    await until(() => counts.polls.filter((ids) => ids.length === 2).length === 3);
    expect(counts.reads).toBe(3);
    expect(new Set(counts.polls.at(-1))).toEqual(new Set([organization.id, second.id]));
    for (const owner of [organization, second]) await gateway.records(owner).addAccount('one.example', 'One');
    expect((await Promise.all(waiting)).map(({ status }) => status)).toEqual([200, 200, 200]);
    const after = counts.polls.length;
    await sleep(1_000);
    expect(counts.polls.length).toBe(after);
  });

  test('holds no replica connection while a request with X-Read-After waits', async () => {
    const [primary, replica] = [open(1), open(1)];
    const { client } = await gateway.start({ database: primary, replica });
    const { key } = organization;
    const { headers } = await client.call(getLatestPosition, { key });
    const marked = { key, headers: { 'x-read-after': headers.get('x-read-after') ?? '' } };
    const waiting = client.call(listEvents, { query: 'wait=30', ...marked });
    for (let index = 0; index < 5; index += 1) expect((await client.call(listAccounts, marked)).status).toBe(200);
    await records().addAccount('marked.example', 'Marked');
    expect((await waiting).data.next_position).toBe(1);
    await Promise.all([primary.close(), replica.close()]);
  });
});

test('401: a request that waits gets no event after its key was revoked', async () => {
  const { id, key } = await organization.createKey();
  const waiting = ask(one.url, 'wait=30', { ...organization, key });
  await one.untilWaiting(1);
  await organization.revokeKey(id);
  await sleep(keyCacheMaxAgeMs);
  await records().addAccount('late.example', 'Late');
  expect(await waiting).toMatchObject({ status: 401, positions: [] });
});

test('429: a waiting request counts once', async () => {
  const { key } = await organization.createKey({ limits: { list: 2 } });
  const statuses: number[] = [];
  for (const query of ['wait=1', '', '']) statuses.push((await gateway.client.call(listEvents, { query, key })).status);
  expect(statuses).toEqual([200, 200, 429]);
});

test('503: refuses callers beyond MAX_WAITING; one organization gets four fifths of what the others leave free', async () => {
  const few = await start({ environment: { MAX_WAITING: '6' } });
  const stranger = await gateway.createOrganization();
  const held: Promise<Answer | null>[] = [];
  for (const caller of [...Array<typeof organization>(4).fill(organization), stranger]) {
    held.push(forgotten(ask(few.url, 'wait=30', caller)));
    await few.untilWaiting(held.length);
  }
  for (const caller of [organization, stranger]) {
    const message = expect.stringContaining('Too many requests wait');
    expect(await ask(few.url, 'wait=30', caller)).toMatchObject({ status: 503, retryAfter: '1', message });
    expect((await ask(few.url, '', caller)).status).toBe(200);
  }
  leave.abort();
  await Promise.all(held);
});

test('a shutdown answers waiting requests with the events so far', async () => {
  const waiting = [ask(one.url, 'wait=30'), ask(one.url, 'wait=30')];
  await one.untilWaiting(2);
  await one.stop();
  for (const answer of await Promise.all(waiting)) expect(answer).toMatchObject({ status: 200, positions: [] });
});
