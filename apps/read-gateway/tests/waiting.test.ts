import { setTimeout as sleep } from 'node:timers/promises';
import { getLatestPosition, listAccounts, listEvents } from '@crm/contract';
import { type Database, openDatabase } from '@crm/db';
import { findFreePort, type GatewayProcess, type TestOrganization } from '@crm/testing';
import { afterAll, afterEach, beforeAll, beforeEach, describe, expect, test } from '@jest/globals';
import { startTestGateway, type TestGateway } from './support/gateway.js';
import { readMetrics, sampleOf } from './support/metrics.js';
import { recordsOf } from './support/records.js';

let gateway: TestGateway;
let organization: TestOrganization;
/** Ends the requests that a test has left waiting. */
let leave: AbortController;

beforeAll(async () => {
  gateway = await startTestGateway();
});
afterAll(() => gateway.stop());
beforeEach(async () => {
  organization = await gateway.createOrganization();
  leave = new AbortController();
});
afterEach(() => leave.abort());

const records = () =>
  recordsOf(
    () => gateway.database,
    () => organization,
  );

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

interface Watched extends GatewayProcess {
  /** One of its metrics. */
  readonly metric: (name: string, labels?: Readonly<Record<string, string>>) => Promise<number>;
  readonly untilWaiting: (count: number) => Promise<void>;
}

const start = async (environment: Readonly<Record<string, string>> = {}): Promise<Watched> => {
  const adminPort = await findFreePort();
  const started = await gateway.startProcess({ ADMIN_PORT: String(adminPort), ...environment });
  const metric: Watched['metric'] = async (name, labels) => sampleOf(await readMetrics(adminPort), name, labels);
  const untilWaiting = async (count: number): Promise<void> => {
    while ((await metric('crm_requests_waiting')) !== count) await sleep(20);
  };
  return { ...started, metric, untilWaiting };
};

/** Resolves without an error when the request ends with its test. */
const forgotten = (answer: Promise<Answer>): Promise<Answer | null> => answer.catch(() => null);

describe('200', () => {
  test('returns an existing event at once, and an empty page after the wait without one', async () => {
    await records().addAccount('here.example', 'Here');
    expect(await ask(gateway.url, 'wait=30')).toMatchObject({ status: 200, positions: [1] });
    expect(await ask(gateway.url, 'after=1&wait=1')).toMatchObject({ status: 200, positions: [], next: 1 });
  });

  test('wakes the callers that wait for events of the organization that wrote, and no others', async () => {
    const one = await start();
    const stranger = await gateway.createOrganization();
    const other = forgotten(ask(one.url, 'wait=30', stranger));
    const waiting = Array.from({ length: 3 }, () => ask(one.url, 'after=0&wait=30'));
    await one.untilWaiting(4);
    await records().addAccount('new.example', 'New');
    for (const answer of await Promise.all(waiting))
      expect(answer).toMatchObject({ status: 200, positions: [1], next: 1 });
    expect(await one.metric('crm_requests_waiting')).toBe(1);
    leave.abort();
    await other;
  });

  test('waits past events that a filter leaves out until one matches', async () => {
    const one = await start();
    const waiting = ask(one.url, 'object=contact&wait=30');
    await one.untilWaiting(1);
    await records().addAccount('passed.example', 'Passed over');
    // Long enough for the request to read that event.
    await sleep(1_500);
    await one.untilWaiting(1);
    await records().addContact('ann@passed.example', 'Ann', null);
    expect(await waiting).toMatchObject({ positions: [2], next: 2 });
  });

  test('returns an empty filtered page at once if it ends before the end of the log', async () => {
    await records().addAccount('many.example', 'Many');
    await gateway.database.pool.query(
      `INSERT INTO events (organization_id, position, occurred_at, id, type, object, record_id, version, changed)
       SELECT organization_id, 1 + n, occurred_at, gen_random_uuid(), 'account.updated', object, record_id, version, '{}'
         FROM events, generate_series(1, 10004) n WHERE organization_id = $1`,
      [organization.id],
    );
    await gateway.database.pool.query('UPDATE event_heads SET position = 10005 WHERE organization_id = $1', [
      organization.id,
    ]);
    expect(await ask(gateway.url, 'object=note&wait=30')).toMatchObject({ positions: [], next: 10_000 });
    expect(await ask(gateway.url, 'object=note&after=10000')).toMatchObject({ positions: [], next: 10_005 });
  });

  test('lets two hundred callers wait without a connection or a place, and one write answers them all', async () => {
    const one = await start({ MAX_IN_FLIGHT: '10', DATABASE_MAX_CONNECTIONS: '2' });
    const waiting: Promise<Answer>[] = [];
    while (waiting.length < 200) {
      for (let index = 0; index < 4; index += 1) waiting.push(ask(one.url, 'wait=30'));
      await one.untilWaiting(waiting.length);
    }
    expect(await one.metric('crm_requests_in_flight')).toBe(0);
    expect(await one.metric('crm_answer_bytes_in_flight')).toBe(0);
    const reads = Array.from({ length: 8 }, () =>
      fetch(`${one.url}/v1/accounts`, { headers: { 'x-api-key': organization.key } }),
    );
    expect((await Promise.all(reads)).map(({ status }) => status)).toEqual(reads.map(() => 200));
    await records().addAccount('wake.example', 'Wake');
    const answers = await Promise.all(waiting);
    expect(answers.filter(({ status, positions }) => status === 200 && positions.length === 1)).toHaveLength(200);
  });

  test('polls for all organizations with one statement, and a request reads only when there is a new event', async () => {
    const asked: (readonly string[])[] = [];
    let reads = 0;
    const own = openDatabase({ url: gateway.gatewayUrl, applicationName: 'waiting-test' });
    const counting: Database = {
      ...own,
      query: (organizationId, statement) => {
        if (statement.text.includes('FROM events')) reads += 1;
        return own.query(organizationId, statement);
      },
      queryServer: (statement) => {
        if (statement.text.includes('event_heads')) asked.push(statement.values?.[0] as readonly string[]);
        return own.queryServer(statement);
      },
    };
    const client = await gateway.startOn(counting);
    const second = await gateway.createOrganization();
    const waiting = [organization, organization, second].map(({ key }) =>
      client.call(listEvents, { query: 'wait=30', key }),
    );
    while (asked.filter((ids) => ids.length === 2).length < 3) await sleep(20);
    expect(reads).toBe(3);
    expect(new Set(asked.at(-1))).toEqual(new Set([organization.id, second.id]));
    for (const owner of [organization, second]) {
      await recordsOf(
        () => gateway.database,
        () => owner,
      ).addAccount('one.example', 'One');
    }
    expect((await Promise.all(waiting)).map(({ status }) => status)).toEqual([200, 200, 200]);
    const after = asked.length;
    await sleep(1_000);
    expect(asked.length).toBe(after);
    await own.close();
  });

  test('holds no replica connection while a request with X-Read-After waits', async () => {
    const open = (): Database =>
      openDatabase({ url: gateway.gatewayUrl, applicationName: 'waiting-test', maxConnections: 1 });
    const [primary, replica] = [open(), open()];
    const client = await gateway.startOn(primary, replica);
    const { key } = organization;
    const { headers } = await client.call(getLatestPosition, { key });
    const marked = { 'x-read-after': headers.get('x-read-after') ?? '' };
    const waiting = client.call(listEvents, { query: 'wait=30', key, headers: marked });
    for (let index = 0; index < 5; index += 1) {
      expect((await client.call(listAccounts, { key, headers: marked })).status).toBe(200);
    }
    await records().addAccount('marked.example', 'Marked');
    expect((await waiting).data.next_position).toBe(1);
    await Promise.all([primary.close(), replica.close()]);
  });

  test('answers waiting requests at shutdown with the events so far', async () => {
    const one = await start();
    const waiting = [ask(one.url, 'wait=30'), ask(one.url, 'wait=30')];
    await one.untilWaiting(2);
    expect(await one.stop()).toBe(0);
    for (const answer of await Promise.all(waiting)) expect(answer).toMatchObject({ status: 200, positions: [] });
  });
});

test('a caller that hangs up stops waiting', async () => {
  const one = await start();
  const waiting = [forgotten(ask(one.url, 'wait=30')), forgotten(ask(one.url, 'wait=30'))];
  await one.untilWaiting(2);
  leave.abort();
  await one.untilWaiting(0);
  expect(await Promise.all(waiting)).toEqual([null, null]);
});

describe('429', () => {
  test('counts a waiting request once', async () => {
    const limited = await gateway.startAnother({ RATE_LIMIT_LIST: '2' });
    const { key } = organization;
    for (const status of [200, 200, 429]) {
      expect((await limited.call(listEvents, { query: 'wait=1', key })).status).toBe(status);
    }
  });
});

describe('503', () => {
  test('refuses callers beyond MAX_WAITING; one organization gets half of the places that the others leave', async () => {
    const one = await start({ MAX_WAITING: '4' });
    const stranger = await gateway.createOrganization();
    const held: Promise<Answer | null>[] = [];
    for (const caller of [organization, organization, stranger]) {
      held.push(forgotten(ask(one.url, 'wait=30', caller)));
      await one.untilWaiting(held.length);
    }
    for (const caller of [organization, stranger]) {
      expect(await ask(one.url, 'wait=30', caller)).toMatchObject({
        status: 503,
        retryAfter: '1',
        message: expect.stringContaining('Too many requests wait'),
      });
      expect((await ask(one.url, '', caller)).status).toBe(200);
    }
    leave.abort();
    await Promise.all(held);
  });
});
