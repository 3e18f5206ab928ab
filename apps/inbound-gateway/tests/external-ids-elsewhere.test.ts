import {
  bulkUpdateAccounts,
  createContact,
  createOpportunity,
  deleteAccount,
  deleteContact,
  deleteOpportunity,
  mergeAccount,
  mergeContact,
  restoreRecord,
} from '@crm/contract';
import { afterAll, beforeAll, describe, expect, test } from '@jest/globals';
import { expectConsistent } from './support/expect-consistent.js';
import {
  account,
  contact,
  externalIdCalls,
  type Fields,
  opportunity,
  resultsOf,
  statusOf,
  warnedOf,
} from './support/external-id-kinds.js';
import { startTestGateway, type TestGateway } from './support/gateway.js';

let gateway: TestGateway;
beforeAll(async () => {
  gateway = await startTestGateway();
});
afterAll(async () => {
  await expectConsistent(gateway);
  await gateway.stop();
});

const { create, update, stored } = externalIdCalls(() => gateway);

describe('external_id of an opportunity', () => {
  const deal = (fields: Fields, related: Fields = {}) => ({
    pipeline_id: gateway.organization.pipeline.id,
    opportunity: fields,
    related_objects: related,
  });
  const send = (body: object, onMatch = 'keep') =>
    gateway.client.call(createOpportunity, { body, query: { on_match: onMatch } });

  test('200: replaces the account and contacts of the record with on_match=update', async () => {
    const first = deal({ name: 'Related', external_id: 'related' }, { account_domain: 'first.example' });
    const id = opportunity.idOf(await send(first));
    const body = deal(
      { external_id: 'related' },
      { account_domain: 'second.example', primary_contact_email: 'p@second.example' },
    );
    const kept = await send(body);
    expect([statusOf(kept), warnedOf(kept)]).toEqual(['updated', ['related_objects.account_domain']]);
    expect(await stored(opportunity, id)).toMatchObject({
      account_domain: 'first.example',
      contact_email: 'p@second.example',
    });
    expect(statusOf(await send(body, 'update'))).toBe('updated');
    expect(await stored(opportunity, id)).toMatchObject({ account_domain: 'second.example', name: 'Related' });
    expect(statusOf(await send(deal({ external_id: 'related' }), 'update'))).toBe('matched');
    expect(await stored(opportunity, id)).toMatchObject({ account_domain: 'second.example' });
  });

  test('409: refuses a record in another pipeline', async () => {
    const id = opportunity.idOf(await send(deal({ name: 'Piped', external_id: 'piped' })));
    const answer = await send(
      { pipeline_id: gateway.organization.otherPipeline.id, opportunity: { external_id: 'piped' } },
      'update',
    );
    expect([answer.status, answer.body.conflict]).toEqual([409, { field: 'opportunity.external_id', existing_id: id }]);
  });
});

describe('merges', () => {
  test.each([
    [account, mergeAccount],
    [contact, mergeContact],
  ] as const)('keep the external_id of the kept record, or take that of the other one', async (kind, merge) => {
    const make = async (label: string, fields: Fields = {}) =>
      kind.idOf(await create(kind, { ...kind.key(label), ...fields }));
    const run = (id: string, from: string) => gateway.client.call(merge, { params: { id }, body: { from } });
    const bare = await make(`${kind.name}-bare`);
    const given = await make(`${kind.name}-given`, { external_id: 'Given' });
    const merged = await run(bare, given);
    expect([merged.status, (merged.data as { filled: string[] }).filled]).toEqual([
      200,
      expect.arrayContaining(['external_id']),
    ]);
    expect(await stored(kind, bare)).toMatchObject({ external_id: 'Given', normalized: { external_id: 'given' } });
    expect(kind.idOf(await create(kind, { external_id: 'Given' }))).toBe(bare);
    const own = await make(`${kind.name}-own`, { external_id: 'Own' });
    expect((await run(own, bare)).status).toBe(200);
    expect(await stored(kind, own)).toMatchObject({ external_id: 'Own' });
    expect((await create(kind, { external_id: 'Given' })).status).toBe(400);
  });

  test('also take it for opportunities that are merged with them', async () => {
    const deal = (domain: string, fields: Fields) => ({
      pipeline_id: gateway.organization.pipeline.id,
      opportunity: { name: 'Collides', ...fields },
      related_objects: { account_domain: domain },
    });
    const kept = opportunity.idOf(await gateway.client.call(createOpportunity, { body: deal('keeps.example', {}) }));
    await gateway.client.call(createOpportunity, { body: deal('goes.example', { external_id: 'collides' }) });
    const [id, from] = await Promise.all(
      ['keeps.example', 'goes.example'].map(async (domain) => account.idOf(await create(account, { domain }))),
    );
    const merged = await gateway.client.call(mergeAccount, {
      params: { id: String(id) },
      body: { from: String(from), deals: 'merge' },
    });
    expect(merged.status).toBe(200);
    expect(await stored(opportunity, kept)).toMatchObject({ external_id: 'collides' });
  });
});

describe('a restored record', () => {
  test.each([
    [account, deleteAccount],
    [opportunity, deleteOpportunity],
  ] as const)('200: gets its external_id back; 409: another record has it', async (kind, remove) => {
    const id = kind.idOf(await create(kind, { ...kind.key(`${kind.name}-gone`), external_id: 'Restored' }));
    const restore = async () => {
      const [event] = await gateway.rows<{ position: number }>(
        'SELECT position::int FROM events WHERE organization_id = $1 AND record_id = $2 ORDER BY position DESC LIMIT 1',
        [id],
      );
      return gateway.client.call(restoreRecord, { body: { position: event?.position ?? 0 } });
    };
    expect((await gateway.client.call(remove, { params: { id } })).status).toBe(200);
    expect((await restore()).status).toBe(200);
    expect(await stored(kind, id)).toMatchObject({ external_id: 'Restored', normalized: { external_id: 'restored' } });
    expect((await gateway.client.call(remove, { params: { id } })).status).toBe(200);
    const holder = kind.idOf(await create(kind, { ...kind.key(`${kind.name}-holds`), external_id: 'Restored' }));
    const refused = await restore();
    expect([refused.status, refused.body.conflict]).toEqual([
      409,
      { field: kind.paths.externalId, existing_id: holder },
    ]);
  });
});

describe('an erased contact', () => {
  test('leaves no external_id of the contact in any table', async () => {
    const headers = { 'Idempotency-Key': 'erased-external-id' };
    const body = { email: 'erased@erasure.example', external_id: 'Erased-4711' };
    const id = contact.idOf(await gateway.client.call(createContact, { body, headers }));
    await update(contact, id, { external_id: 'Erased-4712' });
    expect((await gateway.client.call(deleteContact, { params: { id } })).status).toBe(200);
    const tables = await gateway.rows<{ name: string }>(
      `SELECT c.relname AS name FROM pg_class c JOIN pg_attribute a ON a.attrelid = c.oid AND a.attname = 'organization_id'
        WHERE $1::uuid IS NOT NULL AND c.relkind IN ('r', 'p') AND c.relnamespace = 'public'::regnamespace`,
    );
    expect(tables.length).toBeGreaterThan(10);
    for (const { name } of tables) {
      const found = await gateway.rows(
        `SELECT t FROM ${name} t WHERE t.organization_id = $1 AND t::text ILIKE '%erased-471%'`,
      );
      expect([name, found]).toEqual([name, []]);
    }
  });
});

describe('bulk updates', () => {
  test('move an external_id from one record to another in one call; only the item with a taken one fails', async () => {
    const make = async (label: string, externalId?: string) =>
      account.idOf(await create(account, { ...account.key(label), external_id: externalId ?? null }));
    const [from, to, third] = [await make('bulk-from', 'moving'), await make('bulk-to'), await make('bulk-third')];
    const items = [
      { id: from, external_id: null },
      { id: to, external_id: 'moving' },
      { id: third, external_id: 'moving' },
    ];
    const results = resultsOf(await gateway.client.call(bulkUpdateAccounts, { body: { items } }));
    expect(results.map(({ success }) => success)).toEqual([true, true, false]);
    expect(results[2]?.errors).toEqual({ external_id: `is already used by the record ${to}` });
    expect(await stored(account, to)).toMatchObject({ external_id: 'moving' });
  });
});
