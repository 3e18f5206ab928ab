import {
  bounds,
  bulkCreateAccounts,
  bulkCreateContacts,
  bulkCreateOpportunities,
  bulkUpdateAccounts,
  bulkUpdateContacts,
  bulkUpdateOpportunities,
} from '@crm/contract';
import { afterAll, afterEach, beforeAll, describe, expect, test } from '@jest/globals';
import { expectConsistent } from './support/expect-consistent.js';
import { startTestGateway, type TestGateway } from './support/gateway.js';
import { recordsOf } from './support/records-of.js';

let gateway: TestGateway;
const { account, contact, opportunity } = recordsOf(() => gateway);

beforeAll(async () => {
  gateway = await startTestGateway();
});
afterAll(() => gateway.stop());
afterEach(() => expectConsistent(gateway));

type Contract =
  | typeof bulkCreateAccounts
  | typeof bulkCreateContacts
  | typeof bulkCreateOpportunities
  | typeof bulkUpdateAccounts
  | typeof bulkUpdateContacts
  | typeof bulkUpdateOpportunities;

const deal = (name: string) => ({
  pipeline_id: gateway.organization.pipeline.id,
  opportunity: { name },
  related_objects: { account_domain: `${name}.com` },
});

/** Each bulk operation, an item that it applies, and the `record_status` of that item. */
const cases: readonly (readonly [string, Contract, (name: string) => Promise<object> | object, string])[] = [
  ['bulkCreateAccounts', bulkCreateAccounts, (name) => ({ domain: `${name}.com` }), 'created'],
  ['bulkCreateContacts', bulkCreateContacts, (name) => ({ email: `a@${name}.com` }), 'created'],
  ['bulkCreateOpportunities', bulkCreateOpportunities, deal, 'created'],
  [
    'bulkUpdateAccounts',
    bulkUpdateAccounts,
    async (name) => ({ id: await account({ domain: `${name}.com` }), industry: 'Coal' }),
    'updated',
  ],
  [
    'bulkUpdateContacts',
    bulkUpdateContacts,
    async (name) => ({ id: await contact({ email: `a@${name}.com` }), last_name: 'Coal' }),
    'updated',
  ],
  [
    'bulkUpdateOpportunities',
    bulkUpdateOpportunities,
    async (name) => ({ id: await opportunity({ name }), opportunity: { deal_size: 5 } }),
    'updated',
  ],
];
const noObjects = [null, [{ domain: 'in-a-list.com' }], 5, 'b.com', true];

describe('items that are not objects', () => {
  test.each(cases)('fail alone in %s', async (id, contract, makeGood, status) => {
    const name = `alone-${id.toLowerCase()}`;
    const items = [await makeGood(name), ...noObjects, await makeGood(`${name}-last`)];
    const { results } = (await gateway.client.call(contract, { body: { items } })).data;
    expect([results[0], results.at(-1)].map((result) => result?.record_status)).toEqual([status, status]);
    const failed = { success: false, record_status: null, id: null, errors: { item: 'must be a JSON object' } };
    expect(results.slice(1, -1)).toEqual(noObjects.map((_, index) => ({ index: index + 1, ...failed })));
  });

  test.each(cases)(
    'refuse an atomic call of %s, each under its own path, and nothing is written',
    async (id, contract, make, status) => {
      const good = await make(`atomic-${id.toLowerCase()}`);
      const refused = await gateway.client.call(contract, {
        body: { items: [good, ...noObjects] },
        query: { atomic: 'true' },
      });
      expect(refused.status).toBe(400);
      expect(refused.errors).toEqual(
        Object.fromEntries(noObjects.map((_, index) => [`items[${index + 1}]`, 'must be a JSON object'])),
      );
      // If the atomic call had written the item, this call would answer `matched`.
      const { results } = (await gateway.client.call(contract, { body: { items: [good] } })).data;
      expect(results[0]?.record_status).toBe(status);
    },
  );

  test('have other error paths than an unknown field called item', async () => {
    const body = { items: [{ domain: 'item.com', item: {} }] };
    const refused = await gateway.client.call(bulkCreateAccounts, { body, query: { atomic: 'true' } });
    expect(refused.errors).toEqual({ 'items[0].item': 'is not a known field' });
  });
});

describe('R31: items with a thousand unknown keys each', () => {
  const items = ['unknown', 'custom__unknown', 'emai'].flatMap((prefix, place) =>
    Array.from({ length: place === 0 ? 34 : 33 }, (_, item) => ({
      email: `x${place}-${item}@y.com`,
      ...Object.fromEntries(Array.from({ length: 1_000 }, (_value, index) => [`${prefix}${index}`, 1])),
    })),
  );

  test('each report only their first few errors', async () => {
    const { data } = await gateway.client.call(bulkCreateContacts, { body: { items } });
    const { results } = data;
    expect(results).toHaveLength(100);
    expect(new Set(results.map(({ errors }) => Object.keys(errors ?? {}).length))).toEqual(
      new Set([bounds.reportedItemErrors]),
    );
  });

  test('report at most the usual number of errors in an atomic call', async () => {
    const answer = await gateway.client.call(bulkCreateContacts, { body: { items }, query: { atomic: 'true' } });
    expect(answer.status).toBe(400);
    expect(answer.fieldsAtFault).toHaveLength(bounds.reportedErrors);
  });
});
