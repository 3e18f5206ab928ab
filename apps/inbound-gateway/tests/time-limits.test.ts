import { bulkCreateAccounts, createAccount, createOpportunity, mergeAccount } from '@crm/contract';
import { type Answer, readCitusUrl, type TestClient } from '@crm/testing';
import { afterAll, beforeAll, describe, expect, test } from '@jest/globals';
import { startOwnGateway, type TestGateway } from './support/gateway.js';
import { untilWritesWait } from './support/until-a-write-waits.js';

let gateway: TestGateway;

beforeAll(async () => {
  gateway = await startOwnGateway();
});
afterAll(() => gateway.stop());

/** Blocks writes to a table while `work` runs. */
const whileLocked = async <T>(table: string, work: () => Promise<T>): Promise<T> => {
  const holder = await gateway.database.pool.connect();
  try {
    await holder.query(`BEGIN; LOCK TABLE ${table} IN SHARE MODE`);
    return await work();
  } finally {
    await holder.query('ROLLBACK');
    holder.release();
  }
};

const create = (client: TestClient, domain: string): Promise<Answer> =>
  client.call(createAccount, { body: { domain } });

const expectComeBack = ({ status, headers, body }: Answer): void => {
  expect(status).toBe(503);
  expect(headers.get('retry-after')).toBe('1');
  expect(body.errors).toBeUndefined();
};

const countOf = async (domain: string): Promise<number | undefined> =>
  (
    await gateway.rows<{ n: number }>(
      'SELECT count(*)::int AS n FROM accounts WHERE organization_id = $1 AND domain = $2',
      [domain],
    )
  )[0]?.n;

/** A test that does not run on Citus, whose workers have the `lock_timeout` of their roles and not the one of a gateway. */
const testOfLockTimeout = readCitusUrl() === null ? test : test.skip;

describe('503 with Retry-After', () => {
  testOfLockTimeout(
    'while a lock is held: nothing is written, and the same call works once the lock is free',
    async () => {
      const client = await gateway.startOn(gateway.gatewayUrl, { lockTimeoutMs: 100 });
      expectComeBack(await whileLocked('accounts', () => create(client, 'locked.com')));
      expect(await countOf('locked.com')).toBe(0);
      expect((await create(client, 'locked.com')).status).toBe(200);
    },
  );

  testOfLockTimeout(
    'while other calls hold the locks of a bulk call until its time is up: fewer items would not help',
    async () => {
      const client = await gateway.startOn(gateway.gatewayUrl, { lockTimeoutMs: 0, statementTimeoutMs: 500 });
      const domains = ['held-1.com', 'held-2.com'];
      for (const domain of domains) await create(client, domain);
      const items = domains.map((domain) => ({ domain, name: 'Renamed' }));
      const send = () => client.call(bulkCreateAccounts, { body: { items }, query: { on_match: 'update' } });
      const holder = await gateway.writeDatabase.pool.connect();
      await holder.query(`BEGIN; SELECT FROM accounts WHERE domain = 'held-2.com' FOR UPDATE`);
      expectComeBack(await send());
      await holder.query('ROLLBACK');
      // Also blocks the names, as when another call creates many opportunities of an account.
      await holder.query(
        `BEGIN; SELECT lock_names(organization_id, 'account', ARRAY[id], false) FROM accounts WHERE domain = 'held-1.com'`,
      );
      expectComeBack(await send());
      await holder.query('ROLLBACK');
      holder.release();
      expect((await send()).data.results.map(({ record_status }) => record_status)).toEqual(['updated', 'updated']);
    },
  );

  test('while no connection is free: nothing is written, and the call that holds the connection succeeds', async () => {
    const limits = { poolWaitMs: 200, lockTimeoutMs: 8_000, statementTimeoutMs: 9_000 };
    const client = await gateway.startOn(gateway.gatewayUrl, { maxConnections: 1, ...limits });
    // Loads the key first: looking it up also takes a connection, and the first connection may take long to open.
    while ((await create(client, 'known.com')).status !== 200);
    const [served, refused] = await whileLocked('accounts', async () => {
      const waiting = create(client, 'served.com');
      await untilWritesWait(gateway.writeDatabase, 1);
      return [waiting, await create(client, 'refused.com')];
    });
    expectComeBack(refused);
    expect((await served).status).toBe(200);
    expect(await countOf('refused.com')).toBe(0);
    expect((await create(client, 'refused.com')).status).toBe(200);
  });
});

describe('503 with errors, without Retry-After', () => {
  test('for a rename that changes too many opportunities: the answer says so, and nothing is written', async () => {
    const related_objects = { account_domain: 'many.com', primary_contact_email: 'ann@many.com' };
    const opportunity = {
      pipeline_id: gateway.organization.pipeline.id,
      opportunity: { name: 'One' },
      related_objects,
    };
    await gateway.client.call(createOpportunity, { body: opportunity });
    const [row] = await gateway.rows<{ accountId: string; contactId: string }>(
      `SELECT account_id AS "accountId", contact_id AS "contactId" FROM opportunities WHERE organization_id = $1 AND name = 'One'`,
    );
    const client = await gateway.startOn(gateway.gatewayUrl, { statementTimeoutMs: 500, lockTimeoutMs: 0 });
    const rename = (type: string, id = '', body = {}) => client.send('PATCH', `/v1/inbound/${type}/${id}`, { body });
    const [account, contact] = await whileLocked('opportunities', async () => [
      await rename('accounts', row?.accountId, { name: 'Renamed', description: 'x' }),
      await rename('contacts', row?.contactId, { last_name: 'Renamed' }),
    ]);
    const text = expect.stringMatching(
      /^took too long: the opportunities of this (account|contact) store a copy of it/,
    );
    expect([account.status, account.body.code, account.errors]).toEqual([503, 'timeout', { name: text }]);
    expect([contact.status, contact.body.code, contact.errors]).toEqual([503, 'timeout', { last_name: text }]);
    expect(account.headers.get('retry-after')).toBeNull();
    expect((await rename('accounts', row?.accountId, { name: 'Renamed' })).status).toBe(200);
  });

  test('where a merge takes too long: it names the record to merge, and nothing is merged', async () => {
    const idOf = async (domain: string): Promise<string> =>
      (await gateway.client.call(createAccount, { body: { domain } })).data.company_id;
    const [kept, other] = [await idOf('kept.com'), await idOf('other.com')];
    const client = await gateway.startOn(gateway.gatewayUrl, { statementTimeoutMs: 500, lockTimeoutMs: 0 });
    const merge = () => client.call(mergeAccount, { params: { id: kept }, body: { from: other } });
    const refused = await whileLocked('accounts', merge);
    expect([refused.status, refused.body.code]).toEqual([503, 'timeout']);
    expect(refused.errors).toEqual({ from: 'has too many records to merge' });
    expect(refused.headers.get('retry-after')).toBeNull();
    expect((await merge()).status).toBe(200);
  });

  test('for a bulk call that takes too long, because the same call would time out again', async () => {
    const client = await gateway.startOn(gateway.gatewayUrl, { statementTimeoutMs: 500 });
    const send = () => client.call(bulkCreateAccounts, { body: { items: [{ domain: 'late.com' }] } });
    const answer = await whileLocked('accounts', send);
    expect([answer.status, answer.body.code]).toEqual([503, 'timeout']);
    expect(answer.headers.get('retry-after')).toBeNull();
    expect(answer.errors).toEqual({ items: expect.stringMatching(/^took too long: send fewer items/) });
    expect((await send()).status).toBe(200);
  });
});
