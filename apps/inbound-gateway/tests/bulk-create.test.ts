import {
  bulkCreateAccounts,
  bulkCreateContacts,
  bulkCreateOpportunities,
  type BulkResult,
  createAccount,
} from '@crm/contract';
import { afterAll, afterEach, beforeAll, describe, expect, test } from '@jest/globals';
import { expectConsistent } from './support/expect-consistent.js';
import { startTestGateway, type TestGateway } from './support/gateway.js';

let gateway: TestGateway;

beforeAll(async () => {
  gateway = await startTestGateway();
  await gateway.organization.defineField({ objectType: 'opportunity', slug: 'seats', attributeType: 'number' });
});
afterAll(() => gateway.stop());
afterEach(() => expectConsistent(gateway));

type Query = Readonly<Record<string, string>>;
type Contract = typeof bulkCreateAccounts | typeof bulkCreateContacts | typeof bulkCreateOpportunities;

const send = (contract: Contract, items: readonly unknown[], query: Query = {}) =>
  gateway.client.call(contract, { body: { items }, query });
const resultsOf = async (contract: Contract, items: readonly unknown[], query?: Query): Promise<BulkResult[]> =>
  (await send(contract, items, query)).data.results;
const statusesOf = (results: readonly BulkResult[]) => results.map(({ record_status: status }) => status);
const deal = (name: string, related: object = { account_domain: 'deals.com' }, more: object = {}) => ({
  pipeline_id: gateway.organization.pipeline.id,
  opportunity: { name, ...more },
  related_objects: related,
});
const countOf = async (condition: string): Promise<number | undefined> =>
  (
    await gateway.rows<{ n: number }>(
      `SELECT count(*)::int AS n FROM ${condition.replace('WHERE', 'WHERE organization_id = $1 AND')}`,
    )
  )[0]?.n;

describe('200', () => {
  test('answers the items in order; a refused item fails alone', async () => {
    await send(bulkCreateAccounts, [{ domain: 'there.com', industry: 'Steel' }]);
    const results = await resultsOf(bulkCreateAccounts, [
      { domain: 'z.com' },
      { domain: 'not a domain' },
      { domain: 'there.com', industry: 'Coal' },
      {},
      { domain: 'a.com', name: 'A', unknown: 1 },
      { domain: 'A.com' },
    ]);
    expect(results).toEqual([
      { index: 0, success: true, record_status: 'created', id: expect.any(String) },
      { index: 1, success: false, record_status: null, id: null, errors: { domain: expect.any(String) } },
      {
        index: 2,
        success: true,
        record_status: 'matched',
        id: expect.any(String),
        warnings: [{ field: 'industry', message: expect.any(String) }],
      },
      { index: 3, success: false, record_status: null, id: null, errors: { domain: 'is required' } },
      { index: 4, success: false, record_status: null, id: null, errors: { unknown: expect.any(String) } },
      { index: 5, success: true, record_status: 'created', id: expect.any(String) },
    ]);
  });

  test('applies items with the same key in order', async () => {
    const contacts = [
      { email: 'ann@order.com', first_name: 'Ann' },
      { email: 'bob@order.com' },
      { email: 'ANN@order.com', first_name: 'Anna', last_name: 'Lee' },
    ];
    const results = await resultsOf(bulkCreateContacts, contacts);
    expect(statusesOf(results)).toEqual(['created', 'created', 'updated']);
    expect(results[2]?.id).toBe(results[0]?.id);
    expect(results[2]?.warnings?.map(({ field }) => field)).toEqual(['first_name']);

    const deals = await resultsOf(bulkCreateOpportunities, [
      deal('Order', { primary_contact_email: 'ann@order.com' }),
      deal('Order', { account_domain: 'order.com', primary_contact_email: 'bob@order.com' }),
      deal('Order', { account_domain: 'order.com' }),
    ]);
    expect(statusesOf(deals)).toEqual(['created', 'updated', 'matched']);
    const [row] = await gateway.rows<{ record: string }>(
      `SELECT record FROM opportunities WHERE organization_id = $1 AND name = 'Order'`,
    );
    expect(JSON.parse(row?.record ?? '')).toMatchObject({
      contact_id: results[1]?.id,
      additional_contacts: [{ contact_email: 'ann@order.com', contact_first_name: 'Ann' }],
    });
  });

  test('overwrites stored values with on_match=update', async () => {
    const items = [{ domain: 'match.com', industry: 'Steel' }];
    await send(bulkCreateAccounts, items);
    const query = { on_match: 'update' };
    expect(statusesOf(await resultsOf(bulkCreateAccounts, items, query))).toEqual(['matched']);
    const changed = [{ domain: 'match.com', industry: 'Coal' }];
    expect(statusesOf(await resultsOf(bulkCreateAccounts, changed, query))).toEqual(['updated']);
  });

  test('creates a hundred deals with their accounts and contacts', async () => {
    const items = Array.from({ length: 100 }, (_, index) =>
      deal(`Deal ${index}`, {
        account_domain: `company${index % 7}.com`,
        primary_contact_email: `p${index % 11}@company${index % 7}.com`,
        additional_contact_emails: [`a${index % 5}@company${index % 7}.com`],
      }),
    );
    const results = await resultsOf(bulkCreateOpportunities, items);
    expect(results.map(({ index }) => index)).toEqual(items.map((_, index) => index));
    expect(new Set(results.map(({ id }) => id)).size).toBe(100);
    expect(await countOf(`accounts WHERE domain LIKE 'company%'`)).toBe(7);
  });

  test('writes nothing for a refused deal, not even its account, and writes the other deals', async () => {
    const emails = (prefix: string) => Array.from({ length: 100 }, (_, index) => `${prefix}${index}@many.com`);
    const first = deal('Many', { account_domain: 'many.com', additional_contact_emails: emails('a') });
    await send(bulkCreateOpportunities, [first]);
    const tooMany = { account_domain: 'many.com', additional_contact_emails: ['one@trace.com'] };
    const results = await resultsOf(bulkCreateOpportunities, [deal('Fine'), deal('Many', tooMany), deal('Fine too')]);
    expect(results.map(({ success }) => success)).toEqual([true, false, true]);
    expect(Object.keys(results[1]?.errors ?? {})).toEqual(['related_objects.additional_contact_emails']);
    expect(await countOf(`accounts WHERE domain = 'trace.com'`)).toBe(0);
    expect(await countOf(`contacts WHERE email = 'one@trace.com'`)).toBe(0);
    expect(await countOf(`opportunities WHERE name LIKE 'Fine%'`)).toBe(2);
  });

  test('refuses only the items whose pipeline or fields are wrong', async () => {
    const results = await resultsOf(bulkCreateOpportunities, [
      { ...deal('Foreign'), pipeline_id: gateway.stranger.pipeline.id },
      { ...deal('Malformed'), pipeline_id: 'x' },
      deal('Bad', { owner_email: 'nobody@x.com' }, { custom_fields: { seats: 'x' }, close_date: 5 }),
      deal('Good'),
    ]);
    expect(results.map(({ errors }) => Object.keys(errors ?? {}).sort())).toEqual([
      ['pipeline_id'],
      ['pipeline_id'],
      ['opportunity.close_date', 'opportunity.custom_fields.seats', 'related_objects.owner_email'],
      [],
    ]);
  });

  test('writes a hundred contacts in one round trip to the database', async () => {
    const { query } = gateway.gatewayDatabase;
    let writes = 0;
    const counted: typeof query = (organizationId, statement) => {
      if (statement.text.includes('FROM write(')) writes += 1;
      return query(organizationId, statement);
    };
    Object.assign(gateway.gatewayDatabase, { query: counted });
    await send(
      bulkCreateContacts,
      Array.from({ length: 100 }, (_, index) => ({ email: `trip${index}@trips.com` })),
    );
    Object.assign(gateway.gatewayDatabase, { query });
    expect(writes).toBe(1);
  });
});

describe('atomic', () => {
  test('refuses the whole call if one item is invalid, names its path and writes nothing', async () => {
    const items = [
      { email: 'a@atomic.com' },
      { email: 'b@atomic.com' },
      { email: 'x' },
      { email: 'c@atomic.com', age: 3 },
    ];
    const answer = await send(bulkCreateContacts, items, { atomic: 'true' });
    expect(answer.status).toBe(400);
    expect(answer.fieldsAtFault).toEqual(['items[2].email', 'items[3].age']);
    expect(await countOf(`accounts WHERE domain = 'atomic.com'`)).toBe(0);
  });

  test('refuses the whole call if only the database can find the item invalid', async () => {
    const emails = Array.from({ length: 100 }, (_, index) => `z${index}@full.com`);
    await send(bulkCreateOpportunities, [
      deal('Full', { account_domain: 'full.com', additional_contact_emails: emails }),
    ]);
    const items = [
      deal('Before'),
      deal('Full', { account_domain: 'full.com', additional_contact_emails: ['y@full.com'] }),
    ];
    const answer = await send(bulkCreateOpportunities, items, { atomic: 'true' });
    expect(answer.status).toBe(400);
    expect(answer.fieldsAtFault).toEqual(['items[1].related_objects.additional_contact_emails']);
    expect(await countOf(`opportunities WHERE name = 'Before'`)).toBe(0);
    expect(await countOf(`contacts WHERE email = 'y@full.com'`)).toBe(0);
  });

  test('writes all items if all are valid', async () => {
    const results = await resultsOf(bulkCreateAccounts, [{ domain: 'one.com' }, { domain: 'two.com' }], {
      atomic: 'true',
    });
    expect(statusesOf(results)).toEqual(['created', 'created']);
  });
});

describe('400', () => {
  test.each([
    ['no items', {}, 'items'],
    ['an empty list', { items: [] }, 'items'],
    ['101 items', { items: Array.from({ length: 101 }, () => ({ domain: 'a.com' })) }, 'items'],
    ['items that are no list', { items: { domain: 'a.com' } }, 'items'],
    ['a further key', { items: [{ domain: 'a.com' }], on_match: 'update' }, 'on_match'],
  ])('refuses %s', async (_about, body, field) => {
    const answer = await gateway.client.call(bulkCreateAccounts, { body });
    expect(answer.status).toBe(400);
    expect(answer.fieldsAtFault).toEqual([field]);
  });

  test.each([{ atomic: 'yes' }, { on_match: 'never' }, { dry_run: '1' }])('refuses the query %j', async (query) => {
    const answer = await send(bulkCreateAccounts, [{ domain: 'query.com' }], query);
    expect(answer.status).toBe(400);
    expect(answer.fieldsAtFault).toEqual(Object.keys(query));
  });
});

test('like a single create, does not recreate the account of an email domain for a contact that exists', async () => {
  await resultsOf(bulkCreateContacts, [{ email: 'cid@moved.com' }]);
  await gateway.rows(
    `UPDATE accounts SET domain = 'elsewhere.com' WHERE organization_id = $1 AND domain = 'moved.com'`,
  );
  await gateway.rows(
    `UPDATE accounts SET search_text = normalized_name || ' ' || domain WHERE organization_id = $1 AND domain = 'elsewhere.com'`,
  );
  const results = await resultsOf(bulkCreateContacts, [{ email: 'cid@moved.com' }, { email: 'dan@new-here.com' }]);
  expect(statusesOf(results)).toEqual(['matched', 'created']);
  expect(await countOf(`accounts WHERE domain = 'moved.com'`)).toBe(0);
  expect(await countOf(`accounts WHERE domain = 'new-here.com'`)).toBe(1);
});

test('503: says what to change if a call takes too long, because the same call would time out again', async () => {
  const client = await gateway.startOn(gateway.gatewayUrl, { statementTimeoutMs: 1_500 });
  const body = { items: [{ domain: 'late.com' }] };
  const holder = await gateway.database.pool.connect();
  await holder.query('BEGIN; LOCK TABLE accounts IN SHARE MODE');
  const answer = await client.call(bulkCreateAccounts, { body });
  await holder.query('ROLLBACK');
  holder.release();
  expect([answer.status, answer.body.code]).toEqual([503, 'timeout']);
  expect(answer.headers.get('retry-after')).toBeNull();
  expect(answer.errors).toEqual({ items: expect.stringMatching(/^took too long: send fewer items/) });
  expect((await client.call(bulkCreateAccounts, { body })).status).toBe(200);
});

test('accepts bodies of up to 4 MB', async () => {
  const items = Array.from({ length: 100 }, (_, index) => ({
    domain: `long${index}.com`,
    description: 'ä'.repeat(9_000),
  }));
  const answer = await send(bulkCreateAccounts, items);
  expect(answer.status).toBe(200);
  expect(answer.data.results.every(({ success }) => success)).toBe(true);
  const rawBody = `{"items":[{"domain":"a.com"}]${' '.repeat(4 * 1024 * 1024)}}`;
  expect((await gateway.client.call(bulkCreateAccounts, { rawBody })).status).toBe(413);
});

test('parallel calls with the same keys in any order neither deadlock nor create duplicates', async () => {
  const processes = await gateway.startProcesses(2);
  const names = Array.from({ length: 20 }, (_, index) => index);
  const shuffled = () => [...names].sort(() => Math.random() - 0.5);
  const startedAtMs = performance.now();
  const answers = await Promise.all(
    Array.from({ length: 9 }, (_, call) => {
      const client = processes[call % 2] ?? gateway.client;
      const order = shuffled();
      if (call % 3 === 0)
        return client.call(bulkCreateContacts, {
          body: { items: order.map((n) => ({ email: `s${n}@share${n % 4}.com` })) },
        });
      if (call % 3 === 1)
        return client.call(bulkCreateAccounts, {
          body: { items: order.map((n) => ({ domain: `share${n % 4}.com` })) },
        });
      const items = order.map((n) =>
        deal(`Share ${n}`, {
          primary_contact_email: `s${n}@share${n % 4}.com`,
          additional_contact_emails: [`s${(n + call) % 20}@share0.com`],
        }),
      );
      return client.call(bulkCreateOpportunities, { body: { items } });
    }),
  );
  process.stdout.write(`9 bulk calls of 20 shared keys took ${Math.round(performance.now() - startedAtMs)} ms\n`);
  for (const answer of answers) expect(answer.data.results.every(({ success }) => success)).toBe(true);
  expect(await countOf(`opportunities WHERE name LIKE 'Share %'`)).toBe(20);
  const again = await gateway.client.call(createAccount, { body: { domain: 'share0.com' } });
  expect(again.headers.get('x-record-status')).toBe('matched');
});
