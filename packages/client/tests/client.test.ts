import { readTestStack } from '@crm/testing';
import { afterAll, beforeAll, describe, expect, test } from '@jest/globals';
import { CrmApiError, type CrmClient } from '../src/index.js';
import { collect, refusal, startTestCrm, type TestCrm } from './support/crm.js';

let crm: TestCrm;
let client: CrmClient;

beforeAll(async () => {
  crm = await startTestCrm(readTestStack());
  ({ client } = crm);
});
afterAll(() => crm.stop());

const createDeal = (name: string, related: object = { account_domain: 'acme.com' }) =>
  client.opportunities.create({
    pipeline_id: crm.organization.pipeline.id,
    opportunity: { name, deal_size: 48000 },
    related_objects: related,
  });

describe('opportunities', () => {
  test('are created, matched or updated when sent again, and read back', async () => {
    const first = await createDeal('Renewal', { account_domain: 'acme.com', primary_contact_email: 'ada@acme.com' });
    expect(first).toMatchObject({ recordStatus: 'created', warnings: [], isReplay: false });
    expect(first.data).toMatchObject({ name: 'Renewal', amount: 48000 });
    expect(first.requestId).toEqual(expect.any(String));
    expect(await createDeal('Renewal')).toMatchObject({ recordStatus: 'matched', data: first.data });
    const updated = await client.opportunities.create(
      {
        pipeline_id: crm.organization.pipeline.id,
        opportunity: { name: 'Renewal', deal_size: 1 },
        related_objects: { account_domain: 'acme.com' },
      },
      { onMatch: 'update' },
    );
    expect(updated).toMatchObject({ recordStatus: 'updated', data: { ...first.data, amount: 1 } });
    const { data, version } = await client.opportunities.get(first.data.opportunity_id);
    expect(data.opportunity).toMatchObject({ name: 'Renewal', account_domain: 'acme.com', amount: 1 });
    expect(version).toBe(data.opportunity.version);
  });

  test('are listed once each, a page only when it is needed, and found by a search', async () => {
    const pipeline_id = crm.organization.otherPipeline.id;
    const items = [0, 1, 2, 3, 4].map((n) => ({ pipeline_id, opportunity: { name: `Walk ${n}`, deal_size: n + 1 } }));
    await client.opportunities.bulkCreate(items);
    let requests = 0;
    const counting = crm.clientWith({
      fetch: (...request) => {
        requests += 1;
        return fetch(...request);
      },
    });
    const listing = counting.opportunities.list({ pipeline_id, limit: 2, fields: ['amount', 'created_at'] });
    expect(requests).toBe(0);
    const names: (string | null)[] = [];
    for await (const deal of listing) {
      names.push(deal.name);
      expect(requests).toBe(Math.ceil(names.length / 2));
      expect(deal).toHaveProperty('created_at');
    }
    expect(names.sort()).toEqual(items.map(({ opportunity }) => opportunity.name));
    for await (const deal of listing) {
      expect(deal).toHaveProperty('name');
      break;
    }
    expect(requests).toBe(4);
    const pages = await collect(counting.opportunities.list({ pipeline_id, limit: 3 }).pages());
    expect(pages.map((page) => page.opportunities.length)).toEqual([3, 2]);
    const { data } = await listing.page();
    expect(data).toMatchObject({ has_more: true, limit: 2, custom_field_definitions: {} });
    const found = client.opportunities.search({
      pipeline_id,
      filters: [{ field: 'amount', operator: 'gt', value: 2 }],
      sort: { field: 'name', direction: 'desc' },
      limit: 2,
    });
    expect((await collect(found)).map(({ name }) => name)).toEqual(['Walk 4', 'Walk 3', 'Walk 2']);
  });

  test('are updated and deleted for the version that was read', async () => {
    const { data } = await createDeal('To be changed');
    const id = data.opportunity_id;
    const { version } = await client.opportunities.get(id);
    expect(version).toEqual(expect.any(Number));
    const ifVersion = version ?? 0;
    const change = { opportunity: { next_step: 'Send proposal' } };
    const updated = await client.opportunities.update(id, change, { ifVersion });
    expect(updated.data.opportunity).toMatchObject({ next_step: 'Send proposal', amount: 48000 });
    const outdated = { status: 412, code: 'precondition_failed', name: 'CrmVersionError' };
    expect(await refusal(client.opportunities.update(id, change, { ifVersion }))).toMatchObject(outdated);
    expect(await refusal(client.opportunities.delete(id, { ifVersion }))).toMatchObject(outdated);
    const deleted = await client.opportunities.delete(id, { ifVersion: ifVersion + 1 });
    expect(deleted.data).toEqual({ id, position: expect.any(Number) });
    const error = await refusal(client.opportunities.get(id));
    expect(error).toMatchObject({ status: 404, code: 'not_found', name: 'CrmNotFoundError', retryAfterMs: null });
  });
});

describe('accounts and contacts', () => {
  test('are read by domain and email, and no key or id leads to another operation', async () => {
    await client.contacts.create({ email: 'key+1@by-key.example' });
    const contact = await client.contacts.getByEmail('KEY+1@by-key.example', { fields: 'job_title' });
    const account = await client.accounts.getByDomain('https://www.by-key.example/');
    expect(contact.data.contact.account_id).toBe(account.data.account.id);
    await expect(client.accounts.getByDomain('..')).rejects.toThrow(TypeError);
    await expect(client.accounts.get('../pipelines')).rejects.toThrow(TypeError);
    await expect(client.accounts.delete('fields')).rejects.toThrow('id must be a UUID');
  });

  test('name in their errors the colliding opportunities, and the account that another was merged into', async () => {
    const keep = (await client.accounts.create({ domain: 'keep-merge.com' })).data.company_id;
    const from = (await client.accounts.create({ domain: 'from-merge.com' })).data.company_id;
    for (const account_domain of ['keep-merge.com', 'from-merge.com']) await createDeal('Same', { account_domain });
    const taken = `Conflict with an existing record: ${keep} has this domain`;
    await expect(client.accounts.update(from, { domain: 'keep-merge.com' })).rejects.toThrow(taken);
    const inUse = await refusal(client.accounts.delete(keep));
    expect(inUse).toMatchObject({ status: 409, code: 'conflict', counts: { opportunities: 1 } });
    const refused = await refusal(client.accounts.merge(keep, { from }));
    expect(refused).toMatchObject({ status: 409, conflicts: [{ name: 'Same' }] });
    await client.accounts.merge(keep, { from, deals: 'merge' });
    expect(await refusal(client.accounts.get(from))).toMatchObject({ status: 404, mergedInto: keep });
  });

  test('are read with the mark of a write, and a mark that no write returned is refused', async () => {
    const { data, readAfter } = await client.accounts.create({ domain: 'marked.example' });
    expect(readAfter).toEqual(expect.any(String));
    const found = await client.accounts.get(data.company_id, {}, { readAfter });
    expect(found.data.account).toMatchObject({ domain: 'marked.example' });
    const error = await refusal(client.accounts.get(data.company_id, {}, { readAfter: 'made up' }));
    expect(error).toMatchObject({ status: 400, errors: { 'X-Read-After': expect.any(String) as unknown } });
  });
});

test('a note and a restored account are created once under one idempotency key', async () => {
  const body = { note: { title: 'Kick-off' }, contact_emails: ['grace@notes.example'] };
  const first = await client.notes.create(body, { idempotencyKey: 'kick-off-1' });
  const replay = await client.notes.create(body, { idempotencyKey: 'kick-off-1' });
  expect(replay).toMatchObject({ isReplay: true, data: first.data });
  const other = client.notes.create({ ...body, note: { title: 'x' } }, { idempotencyKey: 'kick-off-1' });
  expect(await refusal(other)).toMatchObject({ code: 'idempotency_mismatch' });
  const { data: account } = await client.accounts.create({ domain: 'back.example' });
  await client.accounts.delete(account.company_id);
  const [deletion] = await collect(client.accounts.history(account.company_id, { limit: 1 }));
  const restore = () => client.events.restore({ position: deletion?.position ?? 0 }, { idempotencyKey: 'back-1' });
  const restored = await restore();
  expect(restored).toMatchObject({ data: { object: 'account', id: account.company_id }, isReplay: false });
  expect(await restore()).toMatchObject({ isReplay: true, data: restored.data });
});

describe('errors', () => {
  test('400: name every invalid field', async () => {
    const error = (await refusal(createDeal('', { primary_contact_email: 'no address' }))) as CrmApiError;
    expect(error).toBeInstanceOf(CrmApiError);
    expect(error).toMatchObject({ status: 400, code: 'validation_failed', name: 'CrmValidationError' });
    expect(Object.keys(error.errors)).toEqual(
      expect.arrayContaining(['opportunity.name', 'related_objects.primary_contact_email']),
    );
    expect(error.message).toContain('opportunity.name');
    expect(error.requestId).toEqual(expect.any(String));
  });

  test('401: an unknown key, which no error text contains', async () => {
    const apiKey = crm.organization.newUnknownKey();
    const error = (await refusal(collect(crm.clientWith({ apiKey }).accounts.list()))) as CrmApiError;
    expect(error).toMatchObject({ status: 401, code: 'unauthorized' });
    expect(JSON.stringify(error) + String(error.stack)).not.toContain(apiKey);
  });
});
