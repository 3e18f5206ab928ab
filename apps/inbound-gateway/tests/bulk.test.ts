import * as contracts from '@crm/contract';
import type { BulkResult } from '@crm/contract';
import { describe, expect, test } from '@jest/globals';
import { recordsOf, unknownId } from './support/records-of.js';
import { useGateway } from './support/use-gateway.js';

const { bulkCreateAccounts, bulkCreateContacts, bulkCreateOpportunities, bulkUpdateAccounts } = contracts;

const gateway = useGateway(async ({ organization: { defineField, otherPipeline } }) => {
  await defineField({ objectType: 'opportunity', slug: 'seats', attributeType: 'number' });
  const pipelineIds = [otherPipeline.id];
  await defineField({ objectType: 'opportunity', slug: 'partner', attributeType: 'string', pipelineIds });
});
const { account, contact, opportunity, create, countOf } = recordsOf(gateway);

const send = (contract: contracts.OperationContract, items: readonly unknown[], query?: Record<string, string>) =>
  create(contract, { items }, query);
const resultsOf = async (contract: contracts.OperationContract, items: readonly unknown[]): Promise<BulkResult[]> =>
  ((await send(contract, items)).data as contracts.BulkResults).results;
const statusesOf = (results: readonly BulkResult[]) => results.map(({ record_status: status }) => status);
const faultsOf = (results: readonly BulkResult[]) => results.map(({ errors }) => Object.keys(errors ?? {}).sort());
const deal = (name: string, related: object = { account_domain: 'deals.com' }, more: object = {}) => ({
  pipeline_id: gateway().organization.pipeline.id,
  opportunity: { name, ...more },
  related_objects: related,
});
const emailsAt = (domain: string) => Array.from({ length: 100 }, (_, index) => `a${index}@${domain}`);
const failed = { success: false, record_status: null };
const errors = (...names: string[]) => Object.fromEntries(names.map((name) => [name, expect.any(String)]));

describe('bulk creates', () => {
  test('answer the items in order; a refused item fails alone', async () => {
    await account({ domain: 'there.com', industry: 'Steel' });
    const results = await resultsOf(bulkCreateAccounts, [
      { domain: 'z.com' },
      { domain: 'not a domain' },
      { domain: 'there.com', industry: 'Coal' },
      {},
      { domain: 'a.com', name: 'A', unknown: 1 },
      { domain: 'A.com' },
    ]);
    const done = { success: true, id: expect.any(String), version: 1 };
    const warnings = [{ field: 'industry', message: expect.any(String) }];
    expect(results).toEqual([
      { index: 0, ...done, record_status: 'created' },
      { index: 1, ...failed, id: null, errors: errors('domain') },
      { index: 2, ...done, record_status: 'matched', warnings },
      { index: 3, ...failed, id: null, errors: { domain: 'is required' } },
      { index: 4, ...failed, id: null, errors: errors('unknown') },
      { index: 5, ...done, record_status: 'created' },
    ]);
  });

  test('write nothing for an item that only the database can refuse, or for an atomic call with one', async () => {
    const full = { account_domain: 'many.com', additional_contact_emails: emailsAt('many.com') };
    await send(bulkCreateOpportunities, [deal('Many', full)]);
    const tooMany = deal('Many', { account_domain: 'many.com', additional_contact_emails: ['one@trace.com'] });
    const results = await resultsOf(bulkCreateOpportunities, [deal('Fine'), tooMany, deal('Fine too')]);
    const path = 'related_objects.additional_contact_emails';
    expect(faultsOf(results)).toEqual([[], [path], []]);
    expect(await countOf(`opportunities WHERE name LIKE 'Fine%'`)).toBe(2);
    const atomic = await send(bulkCreateOpportunities, [deal('Before'), tooMany], { atomic: 'true' });
    expect([atomic.status, atomic.fieldsAtFault]).toEqual([400, [`items[1].${path}`]]);
    expect(await countOf(`opportunities WHERE name = 'Before'`)).toBe(0);
    expect(await countOf(`accounts WHERE domain = 'trace.com'`)).toBe(0);
    expect(await countOf(`contacts WHERE email = 'one@trace.com'`)).toBe(0);
  });

  test('refuse only the items whose pipeline or fields are wrong', async () => {
    const results = await resultsOf(bulkCreateOpportunities, [
      { ...deal('Foreign'), pipeline_id: gateway().stranger.pipeline.id },
      { ...deal('Malformed'), pipeline_id: 'x' },
      deal('Bad', { owner_email: 'nobody@x.com' }, { custom_fields: { seats: 'x' }, close_date: 5 }),
      deal('Good'),
    ]);
    const bad = ['opportunity.close_date', 'opportunity.custom_fields.seats', 'related_objects.owner_email'];
    expect(faultsOf(results)).toEqual([['pipeline_id'], ['pipeline_id'], bad, []]);
  });

  test('refuse items that are not objects', async () => {
    const noObjects = [null, [{ domain: 'in-a-list.com' }], 5, 'b.com'];
    const results = await resultsOf(bulkCreateAccounts, [...noObjects, { domain: 'object.com' }]);
    const refused = { ...failed, id: null, errors: { item: 'must be a JSON object' } };
    expect(results.slice(0, -1)).toEqual(noObjects.map((_, index) => ({ index, ...refused })));
    expect(results.at(-1)).toMatchObject({ record_status: 'created' });
    const atomic = await send(bulkCreateAccounts, [{ domain: 'beside.com' }, null], { atomic: 'true' });
    expect(atomic.errors).toEqual({ 'items[1]': 'must be a JSON object' });
  });

  test('write a hundred items of more than 256 KB in one transaction', async () => {
    const items = Array.from({ length: 100 }, (_, n) => ({ domain: `long${n}.com`, description: 'ä'.repeat(2_000) }));
    const results = await resultsOf(bulkCreateAccounts, items);
    expect(results.map(({ index }) => index)).toEqual(items.map((_, index) => index));
    const appends = 'SELECT DISTINCT occurred_at FROM events WHERE organization_id = $1 AND record_id = ANY ($2)';
    expect(await gateway().rows(appends, [results.map(({ id }) => id)])).toHaveLength(1);
  });

  test('refuse an atomic call if one item is invalid, name its path and write nothing', async () => {
    const items = [{ email: 'a@atomic.com' }, { email: 'x' }, { email: 'c@atomic.com', age: 3 }];
    const answer = await send(bulkCreateContacts, items, { atomic: 'true' });
    expect([answer.status, answer.fieldsAtFault]).toEqual([400, ['items[1].email', 'items[2].age']]);
    expect(await countOf(`accounts WHERE domain = 'atomic.com'`)).toBe(0);
  });

  test('like single ones, do not recreate the account of an email domain for a contact that exists', async () => {
    const id = await contact({ email: 'cid@moved.com' });
    await gateway().rows(
      `UPDATE accounts SET domain = 'elsewhere.com', search_text = normalized_name || ' elsewhere.com'
        WHERE organization_id = $1 AND domain = 'moved.com'`,
    );
    const results = await resultsOf(bulkCreateContacts, [{ email: 'cid@moved.com' }, { email: 'dan@new-here.com' }]);
    expect(results).toMatchObject([{ id, record_status: 'matched' }, { record_status: 'created' }]);
    expect(await countOf(`accounts WHERE domain = 'moved.com'`)).toBe(0);
    expect(await countOf(`accounts WHERE domain = 'new-here.com'`)).toBe(1);
  });
});

describe('bulk updates', () => {
  const accountsOf = (...ids: readonly string[]) =>
    gateway().rows(
      'SELECT * FROM accounts WHERE organization_id = $1 AND id = ANY ($2) ORDER BY array_position($2, id)',
      [ids],
    );

  test('answer the items in order; a refused item fails alone', async () => {
    const [one, two] = [await account({ domain: 'one.com' }), await account({ domain: 'two.com' })];
    const three = await account({ domain: 'three.com', industry: 'Steel' });
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
    expect(results).toEqual([
      { index: 0, success: true, record_status: 'matched', id: three, version: 1 },
      { index: 1, success: true, record_status: 'updated', id: two, version: 2 },
      { index: 2, ...failed, id: two, errors: errors('version') },
      { index: 3, ...failed, id: unknownId, errors: errors('id') },
      { index: 4, ...failed, id: one, errors: errors('domain') },
      { index: 5, ...failed, id: one, errors: errors('domain') },
      { index: 6, ...failed, id: null, errors: errors('id') },
      { index: 7, ...failed, id: null, errors: errors('id') },
    ]);
    const stored = [{ domain: 'one.com', version: 1 }, { industry: 'Coal', version: 2 }, { version: 1 }];
    expect(await accountsOf(one, two, three)).toMatchObject(stored);
  });

  test('apply items in order, so that one item can take the key that an earlier one gave up', async () => {
    const [a, b] = [await account({ domain: 'chain-a.com' }), await account({ domain: 'chain-b.com' })];
    const results = await resultsOf(bulkUpdateAccounts, [
      { id: b, domain: 'chain-c.com' },
      { id: a, domain: 'chain-b.com' },
      { id: a, industry: 'Steel' },
      { id: a, industry: 'Coal' },
    ]);
    expect(statusesOf(results)).toEqual(Array(4).fill('updated'));
    expect(results.map(({ version }) => version)).toEqual([2, 2, 3, 4]);
    const stored = [{ domain: 'chain-b.com', industry: 'Coal', version: 4 }, { domain: 'chain-c.com' }];
    expect(await accountsOf(a, b)).toMatchObject(stored);
  });

  test('move an external_id from one record to another in one call', async () => {
    const from = await account({ domain: 'bulk-from.example', external_id: 'moving' });
    const [to, third] = [await account({ domain: 'bulk-to.example' }), await account({ domain: 'bulk-third.example' })];
    const results = await resultsOf(bulkUpdateAccounts, [
      { id: from, external_id: null },
      { id: to, external_id: 'moving' },
      { id: third, external_id: 'moving' },
    ]);
    expect(results.map(({ success }) => success)).toEqual([true, true, false]);
    expect(results[2]?.errors).toEqual({ external_id: `is already used by the record ${to}` });
    expect(await accountsOf(to)).toMatchObject([{ external_id: 'moving' }]);
  });

  test('move contacts to the accounts of their new emails; a refused contact creates no account', async () => {
    const results = await resultsOf(contracts.bulkUpdateContacts, [
      { id: await contact({ email: 'ann@from.com' }), email: 'ann@to.com' },
      { id: await contact({ email: 'bob@from.com' }), email: 'bob@nowhere.com', version: 9 },
    ]);
    expect(results.map(({ success }) => success)).toEqual([true, false]);
    const counts = [
      await countOf(`accounts WHERE domain = 'to.com'`),
      await countOf(`accounts WHERE domain = 'nowhere.com'`),
    ];
    expect(counts).toEqual([1, 0]);
  });

  test('accept only stages and fields of the deal’s own pipeline', async () => {
    const id = await opportunity({ name: 'Pipeline' });
    const { otherPipeline, pipeline } = gateway().organization;
    const results = await resultsOf(contracts.bulkUpdateOpportunities, [
      { id, opportunity: { stage_id: pipeline.stages[2]?.id, deal_size: 5 } },
      { id, opportunity: { stage_id: otherPipeline.stages[0]?.id } },
      { id, opportunity: { custom__partner: 'x' } },
      { id: unknownId, opportunity: { deal_size: 1 } },
      { id, related_objects: { additional_contact_emails: ['a@pipeline.com'] } },
    ]);
    expect(faultsOf(results)).toEqual([[], ['opportunity.stage_id'], ['opportunity.custom__partner'], ['id'], []]);
  });

  test('refuse an atomic call if one item is invalid, name its path and change nothing', async () => {
    const [a, b] = [await account({ domain: 'atomic-a.com' }), await account({ domain: 'atomic-b.com' })];
    const items = [
      { id: a, industry: 'Steel' },
      { id: a, domain: 'atomic-b.com' },
      { id: b, industry: 'Coal', version: 7 },
      { id: unknownId },
    ];
    const answer = await send(bulkUpdateAccounts, items, { atomic: 'true' });
    const faults = ['items[1].domain', 'items[2].version', 'items[3].id'];
    expect([answer.status, answer.fieldsAtFault]).toEqual([400, faults]);
    expect(await accountsOf(a, b)).toMatchObject([{ version: 1 }, { version: 1 }]);
  });
});
