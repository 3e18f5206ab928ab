import { bulkUpdateAccounts, bulkUpdateContacts, bulkUpdateOpportunities, type BulkResult } from '@crm/contract';
import { afterAll, beforeAll, describe, expect, test } from '@jest/globals';
import { expectConsistent } from './support/expect-consistent.js';
import { startTestGateway, type TestGateway } from './support/gateway.js';
import { recordsOf, unknownId } from './support/records-of.js';

let gateway: TestGateway;
const { account, contact, opportunity } = recordsOf(() => gateway);

beforeAll(async () => {
  gateway = await startTestGateway();
  const { defineField, otherPipeline } = gateway.organization;
  const pipelineIds = [otherPipeline.id];
  await defineField({ objectType: 'opportunity', slug: 'partner', attributeType: 'string', pipelineIds });
});
afterAll(async () => {
  await expectConsistent(gateway);
  await gateway.stop();
});

type Contract = typeof bulkUpdateAccounts | typeof bulkUpdateContacts | typeof bulkUpdateOpportunities;

const send = (contract: Contract, items: readonly unknown[], query: Readonly<Record<string, string>> = {}) =>
  gateway.client.call(contract, { body: { items }, query });
const resultsOf = async (contract: Contract, items: readonly unknown[]): Promise<BulkResult[]> =>
  (await send(contract, items)).data.results;
const accountsOf = (ids: readonly string[]) =>
  gateway.rows<{ id: string; domain: string; industry: string | null; version: number }>(
    'SELECT * FROM accounts WHERE organization_id = $1 AND id = ANY ($2) ORDER BY array_position($2, id)',
    [ids],
  );

describe('200', () => {
  test('answers the items in order; a refused item fails alone', async () => {
    const [one, two, three] = [
      await account({ domain: 'one.com' }),
      await account({ domain: 'two.com' }),
      await account({ domain: 'three.com', industry: 'Steel' }),
    ];
    const results = await resultsOf(bulkUpdateAccounts, [
      { id: three.toUpperCase(), industry: 'Steel' },
      { id: two, industry: 'Coal', version: 1 },
      { id: two, industry: 'Iron', version: 1 },
      { id: unknownId, industry: 'Coal' },
      { id: one, domain: 'two.com' },
      { id: one, domain: 'x' },
      { id: 'x' },
      { industry: 'Coal' },
    ]);
    const failed = { success: false, record_status: null };
    const errors = (...names: string[]) => Object.fromEntries(names.map((name) => [name, expect.any(String)]));
    expect(results).toEqual([
      { index: 0, success: true, record_status: 'matched', id: three },
      { index: 1, success: true, record_status: 'updated', id: two },
      { index: 2, ...failed, id: two, errors: errors('version') },
      { index: 3, ...failed, id: unknownId, errors: errors('id') },
      { index: 4, ...failed, id: one, errors: errors('domain') },
      { index: 5, ...failed, id: one, errors: errors('domain') },
      { index: 6, ...failed, id: null, errors: errors('id') },
      { index: 7, ...failed, id: null, errors: errors('id') },
    ]);
    expect(await accountsOf([one, two, three])).toMatchObject([
      { domain: 'one.com', version: 1 },
      { industry: 'Coal', version: 2 },
      { version: 1 },
    ]);
  });

  test('applies items in order, so that one item can take the key that an earlier one gave up', async () => {
    const [a, b] = [await account({ domain: 'chain-a.com' }), await account({ domain: 'chain-b.com' })];
    const results = await resultsOf(bulkUpdateAccounts, [
      { id: b, domain: 'chain-c.com' },
      { id: a, domain: 'chain-b.com' },
      { id: a, industry: 'Steel' },
      { id: a, industry: 'Coal' },
    ]);
    expect(results.every(({ success }) => success)).toBe(true);
    expect(await accountsOf([a, b])).toMatchObject([
      { domain: 'chain-b.com', industry: 'Coal', version: 4 },
      { domain: 'chain-c.com' },
    ]);
  });

  test('moves contacts to the accounts of their new emails; a refused contact creates no account', async () => {
    const [ann, bob] = [await contact({ email: 'ann@from.com' }), await contact({ email: 'bob@from.com' })];
    const results = await resultsOf(bulkUpdateContacts, [
      { id: ann, email: 'ann@to.com' },
      { id: bob, email: 'bob@nowhere.com', version: 9 },
    ]);
    expect(results.map(({ success }) => success)).toEqual([true, false]);
    const domains = `SELECT domain FROM accounts WHERE organization_id = $1 AND domain IN ('to.com', 'nowhere.com')`;
    expect(await gateway.rows(domains)).toEqual([{ domain: 'to.com' }]);
  });

  test('accepts only stages and fields of the deal’s own pipeline', async () => {
    const id = await opportunity({ name: 'Pipeline' });
    const { otherPipeline, pipeline } = gateway.organization;
    const results = await resultsOf(bulkUpdateOpportunities, [
      { id, opportunity: { stage_id: pipeline.stages[2]?.id, deal_size: 5 } },
      { id, opportunity: { stage_id: otherPipeline.stages[0]?.id } },
      { id, opportunity: { custom__partner: 'x' } },
      { id: unknownId, opportunity: { deal_size: 1 } },
      { id, related_objects: { additional_contact_emails: ['a@pipeline.com'] } },
    ]);
    expect(results.map(({ errors }) => Object.keys(errors ?? {}))).toEqual([
      [],
      ['opportunity.stage_id'],
      ['opportunity.custom__partner'],
      ['id'],
      [],
    ]);
  });
});

describe('atomic', () => {
  test('refuses the whole call if one item is invalid, names its path and changes nothing', async () => {
    const [a, b] = [await account({ domain: 'atomic-a.com' }), await account({ domain: 'atomic-b.com' })];
    const items = [
      { id: a, industry: 'Steel' },
      { id: a, domain: 'atomic-b.com' },
      { id: b, industry: 'Coal', version: 7 },
      { id: unknownId },
    ];
    const answer = await send(bulkUpdateAccounts, items, { atomic: 'true' });
    expect(answer.status).toBe(400);
    expect(answer.fieldsAtFault).toEqual(['items[1].domain', 'items[2].version', 'items[3].id']);
    expect(await accountsOf([a, b])).toMatchObject([{ version: 1 }, { version: 1 }]);
  });
});

test('400: refuses 51 items', async () => {
  const items = Array.from({ length: 51 }, () => ({ id: unknownId }));
  const answer = await send(bulkUpdateAccounts, items);
  expect(answer.status).toBe(400);
  expect(answer.fieldsAtFault).toEqual(['items']);
});
