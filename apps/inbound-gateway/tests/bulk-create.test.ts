import {
  bounds,
  bulkCreateAccounts,
  bulkCreateContacts,
  bulkCreateOpportunities,
  type BulkResult,
} from '@crm/contract';
import { afterAll, beforeAll, describe, expect, test } from '@jest/globals';
import { expectConsistent } from './support/expect-consistent.js';
import { startTestGateway, type TestGateway } from './support/gateway.js';

let gateway: TestGateway;

beforeAll(async () => {
  gateway = await startTestGateway();
  await gateway.organization.defineField({ objectType: 'opportunity', slug: 'seats', attributeType: 'number' });
});
afterAll(async () => {
  await expectConsistent(gateway);
  await gateway.stop();
});

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

  test('refuses items that are not objects', async () => {
    const noObjects = [null, [{ domain: 'in-a-list.com' }], 5, 'b.com'];
    const results = await resultsOf(bulkCreateAccounts, [...noObjects, { domain: 'object.com' }]);
    const failed = { success: false, record_status: null, id: null, errors: { item: 'must be a JSON object' } };
    expect(results.slice(0, -1)).toEqual(noObjects.map((_, index) => ({ index, ...failed })));
    expect(results.at(-1)).toMatchObject({ record_status: 'created' });
    const atomic = await send(bulkCreateAccounts, [{ domain: 'beside.com' }, null], { atomic: 'true' });
    expect(atomic.errors).toEqual({ 'items[1]': 'must be a JSON object' });
  });

  test('R31: reports only the first few of very many errors', async () => {
    const unknown = Object.fromEntries(Array.from({ length: 100 }, (_value, index) => [`unknown${index}`, 1]));
    const items = Array.from({ length: 20 }, () => ({ email: 'a@b.com', ...unknown }));
    const counts = (await resultsOf(bulkCreateContacts, items)).map(({ errors }) => Object.keys(errors ?? {}).length);
    expect(new Set(counts)).toEqual(new Set([bounds.reportedItemErrors]));
    const atomic = await send(bulkCreateContacts, items, { atomic: 'true' });
    expect(atomic.fieldsAtFault).toHaveLength(bounds.reportedErrors);
  });

  test('writes a hundred items of more than 256 KB in one transaction', async () => {
    const items = Array.from({ length: 100 }, (_, n) => ({ domain: `long${n}.com`, description: 'ä'.repeat(2_000) }));
    const results = await resultsOf(bulkCreateAccounts, items);
    expect(results.map(({ index }) => index)).toEqual(items.map((_, index) => index));
    const transactions = 'SELECT DISTINCT xmin::text FROM accounts WHERE organization_id = $1 AND id = ANY ($2)';
    expect(await gateway.rows(transactions, [results.map(({ id }) => id)])).toHaveLength(1);
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
