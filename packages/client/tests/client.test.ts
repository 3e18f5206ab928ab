import { afterAll, beforeAll, describe, expect, test } from '@jest/globals';
import { CrmApiError, type CrmClient } from '../src/index.js';
import { startTestCrm, type TestCrm } from './support/crm.js';

let crm: TestCrm;
let client: CrmClient;

beforeAll(async () => {
  crm = await startTestCrm();
  ({ client } = crm);
});
afterAll(() => crm.stop());

const createDeal = (name: string, related: object = { account_domain: 'acme.com' }) =>
  client.opportunities.create({
    pipeline_id: crm.organization.pipeline.id,
    opportunity: { name, deal_size: 48000 },
    related_objects: related,
  });

const collect = async <T>(items: AsyncIterable<T>): Promise<T[]> => {
  const all: T[] = [];
  for await (const item of items) all.push(item);
  return all;
};

const refusal = async (call: Promise<unknown>): Promise<CrmApiError> => {
  const error = await call.then(
    () => undefined,
    (reason: unknown) => reason,
  );
  expect(error).toBeInstanceOf(CrmApiError);
  return error as CrmApiError;
};

describe('opportunities', () => {
  test('creates a deal, matches it when sent again, and reads it back', async () => {
    const first = await createDeal('Renewal', { account_domain: 'acme.com', primary_contact_email: 'ada@acme.com' });
    expect(first).toMatchObject({ recordStatus: 'created', warnings: [], isReplay: false });
    expect(first.data).toMatchObject({ name: 'Renewal', amount: 48000 });
    expect(first.requestId).toEqual(expect.any(String));
    const again = await createDeal('Renewal');
    expect(again).toMatchObject({ recordStatus: 'matched', data: first.data });
    const { data, version } = await client.opportunities.get(first.data.opportunity_id);
    expect(data.opportunity).toMatchObject({
      name: 'Renewal',
      account_domain: 'acme.com',
      contact_email: 'ada@acme.com',
    });
    expect(version).toBe(data.opportunity.version);
  });

  test('updates a matched record with on_match=update', async () => {
    const { data } = await createDeal('Expansion');
    const updated = await client.opportunities.create(
      {
        pipeline_id: crm.organization.pipeline.id,
        opportunity: { name: 'Expansion', deal_size: 1 },
        related_objects: { account_domain: 'acme.com' },
      },
      { onMatch: 'update' },
    );
    expect(updated).toMatchObject({ recordStatus: 'updated', data: { ...data, amount: 1 } });
  });

  test('lists every record once, and reads a page only when it is needed', async () => {
    const pipeline_id = crm.organization.otherPipeline.id;
    const items = Array.from({ length: 7 }, (_, n) => ({
      pipeline_id,
      opportunity: { name: `Walk ${n}`, deal_size: n + 1 },
    }));
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
    }
    expect(names.sort()).toEqual(items.map(({ opportunity }) => opportunity.name));
    for await (const deal of listing) {
      expect(deal).toHaveProperty('created_at');
      break;
    }
    expect(requests).toBe(5);
    const pages = await collect(counting.opportunities.list({ pipeline_id, limit: 3 }).pages());
    expect(pages.map((page) => page.opportunities.length)).toEqual([3, 3, 1]);
    const { data } = await listing.page();
    expect(data).toMatchObject({ has_more: true, limit: 2, custom_field_definitions: {} });
  });

  test('searches with filters and a sort, page by page', async () => {
    const pipeline_id = crm.organization.otherPipeline.id;
    const found = client.opportunities.search({
      pipeline_id,
      filters: [{ field: 'name', operator: 'starts_with', value: 'Walk' }],
      sort: { field: 'name', direction: 'desc' },
      limit: 3,
    });
    expect((await collect(found)).map(({ name }) => name)).toEqual([6, 5, 4, 3, 2, 1, 0].map((n) => `Walk ${n}`));
  });

  test('summarizes the records that a search finds', async () => {
    const { data } = await client.opportunities.summarize({
      pipeline_id: crm.organization.otherPipeline.id,
      filters: [{ field: 'name', operator: 'starts_with', value: 'Walk' }],
      group_by: ['pipeline_id'],
      measures: ['sum:amount'],
    });
    expect(data.groups.map(({ key, count, 'sum:amount': sum }) => [key['pipeline_id'], count, sum])).toEqual([
      [crm.organization.otherPipeline.id, 7, '28'],
    ]);
    expect(data.total).toEqual({ count: 7, 'sum:amount': '28' });
  });

  test('updates the fields that are sent, for the version that was read', async () => {
    const { data } = await createDeal('To be changed');
    const id = data.opportunity_id;
    const { version } = await client.opportunities.get(id);
    expect(version).toEqual(expect.any(Number));
    const change = { opportunity: { next_step: 'Send proposal' } };
    const updated = await client.opportunities.update(id, change, { ifVersion: version ?? 0 });
    expect(updated.data.opportunity).toMatchObject({ next_step: 'Send proposal', amount: 48000 });
    const error = await refusal(client.opportunities.update(id, change, { ifVersion: version ?? 0 }));
    expect(error).toMatchObject({ status: 412, code: 'precondition_failed', name: 'CrmVersionError' });
  });

  test('deletes a deal, for the version that was read', async () => {
    const { data } = await createDeal('To be deleted');
    const { version } = await client.opportunities.get(data.opportunity_id);
    const outdated = await refusal(client.opportunities.delete(data.opportunity_id, { ifVersion: (version ?? 0) + 1 }));
    expect(outdated).toMatchObject({ status: 412, name: 'CrmVersionError' });
    const deleted = await client.opportunities.delete(data.opportunity_id, { ifVersion: version ?? 0 });
    expect(deleted.data).toEqual({ id: data.opportunity_id });
    const error = await refusal(client.opportunities.get(data.opportunity_id));
    expect(error).toMatchObject({ status: 404, code: 'not_found', name: 'CrmNotFoundError', retryAfterMs: null });
  });
});

describe('accounts and contacts', () => {
  test('are read by domain and email, and no key leads to another operation', async () => {
    await client.contacts.create({ email: 'key+1@by-key.example' });
    const contact = await client.contacts.getByEmail('KEY+1@by-key.example', { fields: 'job_title' });
    const account = await client.accounts.getByDomain('https://www.by-key.example/');
    expect(contact.data.contact.account_id).toBe(account.data.account.id);
    await expect(client.accounts.getByDomain('..')).rejects.toThrow(TypeError);
  });

  test('are listed as possible duplicates with the reason', async () => {
    await client.contacts.create({ email: 'twin@twins.example', first_name: 'Twin' });
    await client.contacts.create({ email: 'twin2@twins.example', first_name: 'twin' });
    const found = await collect(client.contacts.duplicates({ limit: 500 }));
    const twin = found.find(({ key }) => key === 'twin2@twins.example');
    expect(twin?.candidates.map(({ key, reasons }) => [key, ...reasons])).toEqual([
      ['twin@twins.example', 'same_name'],
    ]);
  });

  test('are created, listed, searched, updated and deleted', async () => {
    const { data: account } = await client.accounts.create({
      domain: 'https://www.Initech.com/',
      industry: 'Software',
    });
    expect(account).toMatchObject({ domain: 'initech.com', name: 'Initech' });
    const { data: contact } = await client.contacts.create({ email: 'bill@initech.com', first_name: 'Bill' });
    expect((await collect(client.accounts.list({ q: 'initech' }))).map(({ id }) => id)).toEqual([account.company_id]);
    const found = await collect(client.contacts.search({ query: 'bill' }));
    expect(found).toEqual([expect.objectContaining({ id: contact.people_id, account_id: account.company_id })]);
    const { data } = await client.contacts.update(contact.people_id, { job_title: 'VP', first_name: null });
    expect(data.contact).toMatchObject({ job_title: 'VP', first_name: null });
    const inUse = await refusal(client.accounts.delete(account.company_id));
    expect(inUse).toMatchObject({ status: 409, code: 'conflict', counts: { contacts: 1 } });
    await client.contacts.delete(contact.people_id);
    await client.accounts.delete(account.company_id);
  });

  test('a refused merge names the colliding opportunities, and a merged record the kept one', async () => {
    const keep = (await client.accounts.create({ domain: 'keep-merge.com' })).data.company_id;
    const from = (await client.accounts.create({ domain: 'from-merge.com' })).data.company_id;
    for (const account_domain of ['keep-merge.com', 'from-merge.com'])
      await client.opportunities.create({
        pipeline_id: crm.organization.pipeline.id,
        opportunity: { name: 'Same' },
        related_objects: { account_domain },
      });
    const refused = await refusal(client.accounts.merge(keep, { from }));
    expect(refused).toMatchObject({ status: 409, conflicts: [{ name: 'Same' }] });
    await client.accounts.merge(keep, { from, deals: 'merge' });
    expect(await refusal(client.accounts.get(from))).toMatchObject({ status: 404, mergedInto: keep });
  });

  test('are created in bulk with the result of each item', async () => {
    const { data } = await client.contacts.bulkCreate([{ email: 'one@bulk.example' }, { email: 'no address' }]);
    expect(data.results).toMatchObject([
      { index: 0, success: true, record_status: 'created' },
      { index: 1, success: false, errors: { email: expect.any(String) as unknown } },
    ]);
    const id = data.results[0]?.id ?? '';
    const { data: changed } = await client.contacts.bulkUpdate([{ id, phone: '+14155550123' }]);
    expect(changed.results).toMatchObject([{ success: true, id }]);
    const refused = await refusal(client.contacts.bulkUpdate([{ id, phone: null }, { id: 'x' }], { atomic: true }));
    expect(refused).toMatchObject({ status: 400, errors: { 'items[1].id': expect.any(String) as unknown } });
  });

  test('have fields that are listed', async () => {
    const names = (await collect(client.contacts.fields({ limit: 5 }))).map(({ name }) => name);
    expect(names).toEqual(expect.arrayContaining(['email', 'first_name']));
  });
});

describe('notes and pipelines', () => {
  test('a note is created once under one idempotency key, listed and deleted', async () => {
    const body = { note: { title: 'Kick-off' }, contact_emails: ['grace@notes.example'] };
    const first = await client.notes.create(body, { idempotencyKey: 'kick-off-1' });
    const replay = await client.notes.create(body, { idempotencyKey: 'kick-off-1' });
    expect(replay).toMatchObject({ isReplay: true, data: first.data });
    const other = await refusal(
      client.notes.create({ ...body, note: { title: 'x' } }, { idempotencyKey: 'kick-off-1' }),
    );
    expect(other.code).toBe('idempotency_mismatch');
    expect((await collect(client.notes.list())).map(({ id }) => id)).toEqual([first.data.note_id]);
    await client.notes.delete(first.data.note_id);
  });

  test('pipelines and their stages are listed', async () => {
    const { pipeline } = crm.organization;
    const pipelines = await collect(client.pipelines.list({ limit: 1 }));
    expect(pipelines.map(({ name }) => name)).toEqual(expect.arrayContaining(['Sales', 'Partners']));
    const stages = await collect(client.pipelines.stages(pipeline.id));
    expect(stages.map(({ label }) => label)).toEqual(['New', 'Qualified', 'Won']);
  });
});

describe('errors', () => {
  test('400: names every invalid field', async () => {
    const error = await refusal(createDeal('', { primary_contact_email: 'no address' }));
    expect(error).toMatchObject({ status: 400, code: 'validation_failed', name: 'CrmValidationError' });
    expect(Object.keys(error.errors)).toEqual(
      expect.arrayContaining(['opportunity.name', 'related_objects.primary_contact_email']),
    );
    expect(error.message).toContain('opportunity.name');
    expect(error.requestId).toEqual(expect.any(String));
  });

  test('401: an unknown key, which no error text contains', async () => {
    const apiKey = crm.organization.newUnknownKey();
    const stranger = crm.clientWith({ apiKey });
    const error = await refusal(collect(stranger.accounts.list()));
    expect(error).toMatchObject({ status: 401, code: 'unauthorized' });
    expect(JSON.stringify(error) + String(error.stack)).not.toContain(apiKey);
  });

  test('a read accepts the X-Read-After of a write, and one that no write returned is refused', async () => {
    const { data, readAfter } = await client.accounts.create({ domain: 'marked.example' });
    expect(readAfter).toEqual(expect.any(String));
    const { readAfter: later } = await client.accounts.update(data.company_id, { industry: 'Marks' });
    for (const mark of [readAfter, later]) {
      const found = await client.accounts.get(data.company_id, {}, { readAfter: mark });
      expect(found.data.account).toMatchObject({ domain: 'marked.example', industry: 'Marks' });
    }
    const error = await refusal(client.accounts.get(data.company_id, {}, { readAfter: 'made up' }));
    expect(error).toMatchObject({ status: 400, errors: { 'X-Read-After': expect.any(String) as unknown } });
  });

  test('an invalid id is refused before it becomes a path', async () => {
    await expect(client.accounts.get('../pipelines')).rejects.toThrow(TypeError);
    await expect(client.accounts.delete('fields')).rejects.toThrow('id must be a UUID');
  });
});

describe('a bulk create whose first try is aborted', () => {
  test('waits for its own first try and gets one answer, whenever it was aborted', async () => {
    let retried = 0;
    for (const giveUpAfterMs of [5, 10, 15, 20, 30, 45]) {
      let tries = 0;
      const hasty = crm.clientWith({
        fetch: (url, init) => {
          tries += 1;
          return fetch(url, tries === 1 ? { ...init, signal: AbortSignal.timeout(giveUpAfterMs) } : init);
        },
      });
      const items = Array.from({ length: 100 }, (_, n) => ({ email: `p${n}@hasty-${giveUpAfterMs}.example` }));
      const { data } = await hasty.contacts.bulkCreate(items);
      expect(data.results.filter(({ record_status }) => record_status === 'created')).toHaveLength(100);
      retried += tries - 1;
    }
    expect(retried).toBeGreaterThan(0);
  });
});
