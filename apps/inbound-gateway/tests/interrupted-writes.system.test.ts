import { setTimeout as sleep } from 'node:timers/promises';
import { bulkCreateAccounts, createAccount, createNote, createOpportunity, mergeAccount } from '@crm/contract';
import {
  type Answer,
  type FaultProxy,
  readCitusUrl,
  reportFigure,
  startFaultProxy,
  type TestClient,
  testSize,
  until,
} from '@crm/testing';
import { afterAll, beforeAll, describe, expect, test } from '@jest/globals';
import { expectConsistent } from './support/expect-consistent.js';
import { startOwnGateway, type TestGateway } from './support/gateway.js';
import { recordsOf } from './support/records-of.js';
import { untilAWriteWaitsFor, untilWritesWait } from './support/until-a-write-waits.js';

/** Each fifth call is cut off at a random time, the others before each of their tables. */
const rounds = testSize({ short: 5, soak: 50 });

let gateway: TestGateway;
let proxy: FaultProxy;
let lossyClient: TestClient;
/** Ends a statement, but no wait for a lock, after a short time. On a busy machine, that can be any statement. */
let hurriedClient: TestClient;

beforeAll(async () => {
  gateway = await startOwnGateway();
  proxy = await startFaultProxy(gateway.gatewayUrl);
  lossyClient = await gateway.startOn(proxy.url);
  hurriedClient = await gateway.startOn(gateway.gatewayUrl, { lockTimeoutMs: 0, statementTimeoutMs: 300 });
  // Loads the key first, which may also take too long.
  await until(async () => (await create(hurriedClient, 'known.com')).status === 200);
});
afterAll(async () => {
  await gateway.stop();
  await proxy.stop();
});

const { account, opportunity, countOf, row } = recordsOf(() => gateway);
const create = (client: TestClient, domain: string): Promise<Answer> =>
  client.call(createAccount, { body: { domain } });

/** Runs work while a transaction on the server that runs the organization's writes holds locks. */
const whileHeld = async <T>(locks: string, work: () => Promise<T>, { pool } = gateway.writeDatabase): Promise<T> => {
  const holder = await pool.connect();
  try {
    await holder.query(`BEGIN; ${locks}`);
    return await work();
  } finally {
    await holder.query('ROLLBACK');
    holder.release();
  }
};
/** Blocks writes to a table while `work` runs. */
const whileLocked = <T>(table: string, work: () => Promise<T>): Promise<T> =>
  whileHeld(`LOCK TABLE ${table} IN SHARE MODE`, work, gateway.database);

/** Ends the connections of gateways that are writing. */
const endWrites = async (): Promise<void> => {
  await gateway.database.pool.query(`SELECT pg_terminate_backend(pid) FROM pg_stat_activity
    WHERE datname = current_database() AND query LIKE '%FROM write(%' AND state = 'active' AND pid <> pg_backend_pid()`);
};

/** Ends a call's connection just before the call writes to a table, while its earlier writes are uncommitted. */
const endBefore = (table: string, call: () => Promise<Answer>): Promise<Answer> =>
  whileLocked(table, async () => {
    const answer = call();
    await untilWritesWait(gateway.writeDatabase, 1);
    await endWrites();
    return await answer;
  });

/** Ends a call's connection at a random time, possibly before the call begins or after it has committed. */
const endAtRandom = async (call: () => Promise<Answer>): Promise<Answer> => {
  const answer = call();
  await sleep(Math.random() * 12);
  await endWrites();
  return answer;
};

/** Repeats a call as a client would. A cut connection may be handed out once more before the pool notices. */
const untilDone = async (call: () => Promise<Answer>): Promise<void> => {
  let status = 503;
  for (let attempt = 0; attempt < 10 && status === 503; attempt++) ({ status } = await call());
  expect(status).toBe(200);
};

test('R4: an opportunity whose connection ends at any moment is stored whole or not at all', async () => {
  const tables = ['accounts', 'contacts', 'opportunities', 'opportunity_contacts'];
  let refused = 0;
  let partial = 0;
  for (let round = 0; round < rounds; round++) {
    const [name, domain] = [`R4 ${round}`, `r4-${round}.com`];
    const [primary_contact_email, ...additional_contact_emails] = ['p', 'a', 'b', 'c'].map((who) => `${who}@${domain}`);
    const related_objects = { primary_contact_email, additional_contact_emails };
    const body = { pipeline_id: gateway.organization.pipeline.id, opportunity: { name }, related_objects };
    const call = (): Promise<Answer> => lossyClient.call(createOpportunity, { body });
    const table = tables[round % (tables.length + 1)];
    const { status } = await (table === undefined ? endAtRandom(call) : endBefore(table, call));
    if (status !== 200) refused += 1;
    expect(table === undefined ? [200, 503] : [503]).toContain(status);
    // In one statement: with Citus, a worker may still commit a write whose connection to the coordinator has ended.
    const text = `SELECT concat_ws(',',
      (SELECT count(*) FROM opportunities WHERE organization_id = $1 AND name = $2),
      (SELECT count(*) FROM accounts WHERE organization_id = $1 AND domain = $3),
      (SELECT count(*) FROM contacts WHERE organization_id = $1 AND email LIKE '%@' || $3)) AS counts`;
    const [stored] = await gateway.rows<{ counts: string }>(text, [name, domain]);
    if (!['0,0,0', '1,1,4'].includes(stored?.counts ?? '')) partial += 1;
    await untilDone(call);
    expect(await gateway.rows(text, [name, domain])).toEqual([{ counts: '1,1,4' }]);
  }
  reportFigure('R4', `calls of ${rounds} that were cut off`, refused, 'printed');
  reportFigure('R4', 'partial rows', partial, 0);
  expect(partial).toBe(0);
  expect(refused).toBeGreaterThan(0);
  await expectConsistent(gateway);
});

describe('R22: a note whose answer is lost', () => {
  const send = (title: string, headers: Readonly<Record<string, string>> = {}) =>
    lossyClient.call(createNote, { body: { note: { title }, contact_emails: ['ann@lost.com'] }, headers });

  test('is stored once, because no layer retries it silently', async () => {
    proxy.loseAnswerTo('Lost');
    expect((await send('Lost')).status).toBe(503);
    const notes = Number(await countOf('notes WHERE title = $2', 'Lost'));
    reportFigure('R22', 'notes whose commit was not answered, without a key', notes, 1);
    expect(notes).toBe(1);
  });

  test('is answered when the client repeats it with its Idempotency-Key', async () => {
    proxy.loseAnswerTo('Keyed');
    expect((await send('Keyed', { 'idempotency-key': 'lost' })).status).toBe(503);
    const again = await send('Keyed', { 'idempotency-key': 'lost' });
    expect([again.status, again.headers.get('idempotent-replayed')]).toEqual([200, 'true']);
    expect(await countOf('notes WHERE title = $2', 'Keyed')).toBe(1);
  });
});

test('a request in progress holds its Idempotency-Key', async () => {
  const request = { body: { domain: 'flight.com' }, headers: { 'idempotency-key': 'flight' } };
  // The first request must not time out, however long the second answer takes.
  const client = await gateway.startOn(gateway.gatewayUrl, { lockTimeoutMs: 8_000, statementTimeoutMs: 9_000 });
  const holder = await gateway.writeDatabase.pool.connect();
  // A request that creates this account waits for the uncommitted account of this transaction.
  await holder.query('BEGIN');
  await holder.query(
    `INSERT INTO accounts (organization_id, id, domain, search_text, created_at, updated_at)
     VALUES ($1, gen_random_uuid(), 'flight.com', 'flight.com', now(), now())`,
    [gateway.organization.id],
  );
  const first = client.call(createAccount, request);
  await untilAWriteWaitsFor(holder, gateway.writeDatabase);
  const second = await client.call(createAccount, request);
  await holder.query('ROLLBACK');
  holder.release();
  expect([second.status, second.headers.get('retry-after')]).toEqual([409, '1']);
  expect(second.text).toContain('A request with this Idempotency-Key is in flight');
  expect((await first).status).toBe(200);
});

const expectComeBack = ({ status, headers, body }: Answer): void => {
  expect([status, headers.get('retry-after'), body.errors]).toEqual([503, '1', undefined]);
};
/** A test that does not run on Citus, whose workers have the `lock_timeout` of their roles and not the one of a gateway. */
const testOfLockTimeout = readCitusUrl() === null ? test : test.skip;

describe('503 with Retry-After', () => {
  test('for a statement that takes too long, where nothing in the request is to blame', async () => {
    const late = await whileLocked('accounts', () => create(hurriedClient, 'late.com'));
    expectComeBack(late);
    expect(late.body.code).toBe('timeout');
    expect(await countOf(`accounts WHERE domain = 'late.com'`)).toBe(0);
  });

  testOfLockTimeout('while a lock is held: nothing is written, and the same call works afterwards', async () => {
    const client = await gateway.startOn(gateway.gatewayUrl, { lockTimeoutMs: 50 });
    expectComeBack(await whileLocked('accounts', () => create(client, 'locked.com')));
    expect(await countOf(`accounts WHERE domain = 'locked.com'`)).toBe(0);
    expect((await create(client, 'locked.com')).status).toBe(200);
  });

  testOfLockTimeout('while another call holds the lock of the organization, unless nothing would change', async () => {
    const client = await gateway.startOn(gateway.gatewayUrl, { lockTimeoutMs: 50 });
    await account({ domain: 'held.com' });
    const bulk = (name: string) =>
      client.call(bulkCreateAccounts, {
        body: { items: [{ domain: 'held.com', name }] },
        query: { on_match: 'update' },
      });
    const hold = (mode: string) => `SELECT lock_organization('${gateway.organization.id}', '${mode}')`;
    await whileHeld(hold('exclusive'), async () => {
      expectComeBack(await create(client, 'waits.com'));
      expect((await create(client, 'held.com')).status).toBe(200);
    });
    await whileHeld(hold('shared'), async () => {
      expectComeBack(await bulk('Renamed'));
      expect((await create(client, 'beside.com')).status).toBe(200);
    });
    expect((await bulk('Renamed')).data.results).toMatchObject([{ record_status: 'updated' }]);
  });

  test('while no connection is free: nothing is written, and the call that holds the connection succeeds', async () => {
    const limits = { poolWaitMs: 200, lockTimeoutMs: 8_000, statementTimeoutMs: 9_000 };
    const client = await gateway.startOn(gateway.gatewayUrl, { maxConnections: 1, ...limits });
    // Loads the key first: looking it up also takes a connection, and the first connection may take long to open.
    await until(async () => (await create(client, 'known.com')).status === 200);
    const [served, refused] = await whileLocked('accounts', async () => {
      const waiting = create(client, 'served.com');
      await untilWritesWait(gateway.writeDatabase, 1);
      return [waiting, await create(client, 'refused.com')];
    });
    expectComeBack(refused);
    expect((await served).status).toBe(200);
    expect(await countOf(`accounts WHERE domain = 'refused.com'`)).toBe(0);
    expect((await create(client, 'refused.com')).status).toBe(200);
  });
});

describe('503 with errors, without Retry-After', () => {
  const expectTimeout = ({ status, headers, body, errors }: Answer, expected: object): void => {
    expect([status, body.code, headers.get('retry-after')]).toEqual([503, 'timeout', null]);
    expect(errors).toEqual(expected);
  };

  test('for a rename that changes too many opportunities: the answer says so, and nothing is written', async () => {
    const related = { account_domain: 'many.com', primary_contact_email: 'ann@many.com' };
    const deal = await row('opportunities', await opportunity({ name: 'One' }, related));
    const rename = (type: 'account' | 'contact', body: object, client = hurriedClient) =>
      client.send('PATCH', `/v1/inbound/${type}s/${String(deal?.[`${type}_id`])}`, { body });
    const [renamed, named] = await whileLocked('opportunities', async () => [
      await rename('account', { name: 'Renamed', description: 'x' }),
      await rename('contact', { last_name: 'Renamed' }),
    ]);
    const text = (type: string) =>
      expect.stringMatching(`^took too long: the opportunities of this ${type} store a copy of it`);
    expectTimeout(renamed, { name: text('account') });
    expectTimeout(named, { last_name: text('contact') });
    expect((await rename('account', { name: 'Renamed' }, gateway.client)).status).toBe(200);
  });

  test('where a merge takes too long: it names the record to merge, and nothing is merged', async () => {
    const [id, from] = [await account({ domain: 'kept.com' }), await account({ domain: 'other.com' })];
    const merge = (client = hurriedClient) => client.call(mergeAccount, { params: { id }, body: { from } });
    expectTimeout(await whileLocked('accounts', () => merge()), { from: 'has too many records to merge' });
    expect((await merge(gateway.client)).status).toBe(200);
  });

  test('for a bulk call that takes too long, because the same call would time out again', async () => {
    const send = (client = hurriedClient) =>
      client.call(bulkCreateAccounts, { body: { items: [{ domain: 'late.com' }] } });
    expectTimeout(await whileLocked('accounts', () => send()), {
      items: expect.stringMatching(/^took too long: send fewer items/),
    });
    expect((await send(gateway.client)).status).toBe(200);
  });
});
