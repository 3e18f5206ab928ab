import {
  bulkCreateAccounts,
  createAccount,
  createContact,
  createOpportunity,
  deleteAccount,
  deleteContact,
  mergeAccount,
  mergeContact,
} from '@crm/contract';
import { afterAll, beforeAll, describe, expect, test } from '@jest/globals';
import { expectConsistent } from './support/expect-consistent.js';
import { startTestGateway, type TestGateway } from './support/gateway.js';
import { mergingOf } from './support/merging-of.js';
import { recordsOf } from './support/records-of.js';

let gateway: TestGateway;
const { account, contact, opportunity, changeAccount, changeOpportunity } = recordsOf(() => gateway);
const { merge, create, note, rows, row, countOf, position, eventsAfter } = mergingOf(() => gateway);

beforeAll(async () => {
  gateway = await startTestGateway();
  await gateway.organization.defineField({ objectType: 'account', slug: 'tier', attributeType: 'number' });
  await gateway.organization.defineField({ objectType: 'account', slug: 'motto', attributeType: 'string' });
});
afterAll(async () => {
  await expectConsistent(gateway);
  await gateway.stop();
});

const both = [
  ['accounts', mergeAccount, deleteAccount, (n: string) => account({ domain: `${n}.com` })],
  ['contacts', mergeContact, deleteContact, (n: string) => contact({ email: `${n}@people.com` })],
] as const;

describe('200', () => {
  test('gives an account the contacts, opportunities, notes and missing values of another one', async () => {
    const id = await account({ domain: 'kept.com', industry: 'Steel', custom__tier: 3 });
    const from = await account({
      domain: 'gone.com',
      industry: 'Wood',
      description: 'D',
      custom__tier: 5,
      custom__motto: 'Ever On',
    });
    const person = await contact({ email: 'ann@gone.com' });
    const deal = await opportunity({ name: 'Moves' }, { primary_contact_email: 'ann@gone.com' });
    const onBoth = await note('Both', { account_domains: ['gone.com', 'kept.com'] });
    await note('Gone', { account_domains: ['gone.com'] });
    const before = await position();
    const answer = await merge(mergeAccount, id, { from });
    expect(answer.status).toBe(200);
    expect(answer.data).toEqual({
      id,
      from,
      dry_run: false,
      contacts: 1,
      opportunities: 1,
      merged_opportunities: 0,
      notes: 2,
      filled: ['custom__motto', 'description'],
      conflicts: [],
    });
    expect(answer.headers.get('x-read-after')).not.toBeNull();
    expect(await row('accounts', from)).toBeUndefined();
    expect(await row('accounts', id)).toMatchObject({
      domain: 'kept.com',
      name: 'Kept',
      industry: 'Steel',
      description: 'D',
      version: 2,
      custom_fields: { tier: 3, motto: 'Ever On' },
      number_1: 3,
      text_1: 'ever on',
      normalized: { industry: 'steel', description: 'd', custom__motto: 'ever on' },
    });
    expect(await row('contacts', person)).toMatchObject({ account_id: id, version: 2 });
    expect(await row('opportunities', deal)).toMatchObject({
      account_id: id,
      account_key: id,
      account_domain: 'kept.com',
      version: 2,
    });
    expect(await rows('account_id FROM note_accounts WHERE ORG AND note_id = $2', [onBoth])).toEqual([
      { account_id: id },
    ]);
    const events = await eventsAfter(before);
    expect(events.map(({ type }) => type)).toEqual([
      'account.merged',
      'opportunity.updated',
      'contact.updated',
      'note.updated',
      'note.updated',
      'account.deleted',
    ]);
    expect(events[0]).toMatchObject({ record_id: id, version: 2 });
    expect(events.at(-1)).toMatchObject({ record_id: from });
  });

  test('passes on the notes of a merged opportunity', async () => {
    const id = await account({ domain: 'noted-kept.com' });
    const from = await account({ domain: 'noted-gone.com' });
    const stays = await opportunity({ name: 'Noted' }, { account_domain: 'noted-kept.com' });
    const goes = await opportunity({ name: 'Noted' }, { account_domain: 'noted-gone.com' });
    const onOne = await note('On one', { related_objects: { opportunity_ids: [goes] } });
    const onBoth = await note('On both', {
      account_domains: ['noted-gone.com'],
      related_objects: { opportunity_ids: [goes, stays] },
    });
    const before = await position();
    const answer = await merge(mergeAccount, id, { from, deals: 'merge' });
    expect(answer.data).toMatchObject({ merged_opportunities: 1, notes: 2 });
    for (const written of [onOne, onBoth])
      expect(await rows('opportunity_id FROM note_opportunities WHERE ORG AND note_id = $2', [written])).toEqual([
        { opportunity_id: stays },
      ]);
    const events = await rows(`record_id, changed FROM events WHERE ORG AND position > $2 AND object = 'note'`, [
      before,
    ]);
    expect(events).toHaveLength(3);
    expect(events).toEqual(
      expect.arrayContaining([
        { record_id: onOne, changed: ['opportunity_ids'] },
        { record_id: onBoth, changed: ['opportunity_ids'] },
        { record_id: onBoth, changed: ['account_ids'] },
      ]),
    );
  });

  test('puts the kept contact in place of the merged one in opportunities and notes', async () => {
    const id = await contact({ email: 'bob@gmail.com', first_name: 'Bob' });
    const from = await contact({ email: 'rob@gmail.com', first_name: 'Rob', last_name: 'Ray', job_title: 'CTO' });
    const primary = await opportunity(
      { name: 'Primary' },
      { primary_contact_email: 'rob@gmail.com', additional_contact_emails: ['bob@gmail.com'] },
    );
    const second = await opportunity(
      { name: 'Second' },
      {
        account_domain: 'shop.com',
        primary_contact_email: 'x@shop.com',
        additional_contact_emails: ['rob@gmail.com', 'bob@gmail.com'],
      },
    );
    const written = await note('On both', { contact_emails: ['rob@gmail.com', 'bob@gmail.com'] });
    const answer = await merge(mergeContact, id, { from });
    expect(answer.data).toMatchObject({ contacts: 0, opportunities: 2, notes: 1, filled: ['job_title', 'last_name'] });
    expect(await row('contacts', id)).toMatchObject({
      first_name: 'Bob',
      last_name: 'Ray',
      normalized_name: 'bob ray',
      job_title: 'CTO',
      version: 2,
    });
    const links = (deal: string) =>
      rows('contact_id FROM opportunity_contacts WHERE ORG AND opportunity_id = $2 ORDER BY position', [deal]);
    expect(await row('opportunities', primary)).toMatchObject({
      contact_id: id,
      account_key: id,
      contact_email: 'bob@gmail.com',
    });
    expect(await links(primary)).toEqual([]);
    expect(await links(second)).toEqual([{ contact_id: id }]);
    expect(await rows('contact_id FROM note_contacts WHERE ORG AND note_id = $2', [written])).toEqual([
      { contact_id: id },
    ]);
    // A repeated create finds the moved opportunity by the email that is now an alias.
    const body = {
      pipeline_id: gateway.organization.pipeline.id,
      opportunity: { name: 'Primary' },
      related_objects: { primary_contact_email: 'rob@gmail.com' },
    };
    expect((await create(createOpportunity, body)).data.opportunity_id).toBe(primary);
  });

  test('finds the kept account by an alias domain everywhere', async () => {
    const id = await account({ domain: 'named.com' });
    const from = await account({ domain: 'alias.com' });
    const older = await account({ domain: 'older.com' });
    await merge(mergeAccount, from, { from: older });
    await merge(mergeAccount, id, { from });
    for (const domain of ['alias.com', 'older.com']) {
      const found = await create(createAccount, { domain });
      expect(found.data).toEqual({ company_id: id, domain: 'named.com', name: 'Named' });
      expect(found.headers.get('x-record-status')).toBe('matched');
    }
    const updated = await create(createAccount, { domain: 'alias.com', industry: 'Glass' }, { on_match: 'update' });
    expect(updated.headers.get('x-record-status')).toBe('updated');
    expect(await row('accounts', id)).toMatchObject({ domain: 'named.com', industry: 'Glass' });
    const many = await gateway.client.call(bulkCreateAccounts, {
      body: { items: [{ domain: 'alias.com', industry: 'Clay' }, { domain: 'older.com' }, { domain: 'named.com' }] },
      query: { on_match: 'update' },
    });
    expect(many.data.results.map((one) => one.id)).toEqual([id, id, id]);
    expect(await row('contacts', await contact({ email: 'new@alias.com' }))).toMatchObject({ account_id: id });
    expect(
      await row('opportunities', await opportunity({ name: 'By alias' }, { account_domain: 'older.com' })),
    ).toMatchObject({ account_id: id });
    const written = await note('By alias', { account_domains: ['alias.com', 'named.com', 'older.com'] });
    expect(await rows('account_id FROM note_accounts WHERE ORG AND note_id = $2', [written])).toEqual([
      { account_id: id },
    ]);
    expect(await rows(`domain FROM accounts WHERE ORG AND domain IN ('alias.com', 'older.com')`)).toEqual([]);
  });

  test('finds the kept contact by an alias email everywhere', async () => {
    const id = await contact({ email: 'eve@named.org' });
    const from = await contact({ email: 'eva@named.org', phone: '+4930123456' });
    await merge(mergeContact, id, { from });
    const found = await create(createContact, { email: 'eva@named.org', first_name: 'Eve' });
    expect(found.data).toMatchObject({ people_id: id, email: 'eve@named.org', first_name: 'Eve' });
    expect(found.headers.get('x-record-status')).toBe('updated');
    const related = {
      primary_contact_email: 'eva@named.org',
      additional_contact_emails: ['eve@named.org', 'z@named.org'],
    };
    const deal = await opportunity({ name: 'Named twice' }, related);
    expect(await row('opportunities', deal)).toMatchObject({ contact_id: id });
    expect(await rows('contact_id FROM opportunity_contacts WHERE ORG AND opportunity_id = $2', [deal])).toHaveLength(
      1,
    );
  });

  test('lets a record take its own alias back, which ends the alias', async () => {
    const id = await account({ domain: 'now.com' });
    await merge(mergeAccount, id, { from: await account({ domain: 'then.com' }) });
    expect((await changeAccount(id, { domain: 'then.com' })).data.account.domain).toBe('then.com');
    expect(await rows('domain FROM account_aliases WHERE ORG AND account_id = $2', [id])).toEqual([]);
    expect((await create(createAccount, { domain: 'now.com' })).data.company_id).not.toBe(id);
  });

  test('merges colliding opportunities if the request asks for it', async () => {
    const id = await account({ domain: 'one.com' });
    const from = await account({ domain: 'two.com' });
    const kept = await opportunity({ name: 'Same' }, { account_domain: 'one.com', primary_contact_email: 'a@one.com' });
    const other = await opportunity(
      { name: 'Same', deal_size: 12.5, currency: 'EUR', next_step: 'Call' },
      { account_domain: 'two.com', primary_contact_email: 'b@two.com', additional_contact_emails: ['c@two.com'] },
    );
    const refused = await merge(mergeAccount, id, { from });
    expect(refused.status).toBe(409);
    const pair = { id: other, existing_id: kept, pipeline_id: gateway.organization.pipeline.id, name: 'Same' };
    expect(refused.body).toMatchObject({ conflicts: [pair] });
    expect((await merge(mergeAccount, id, { from, dry_run: true })).data).toMatchObject({
      merged_opportunities: 1,
      conflicts: [pair],
    });
    const before = await position();
    expect((await merge(mergeAccount, id, { from, deals: 'merge' })).data).toMatchObject({
      opportunities: 0,
      merged_opportunities: 1,
      conflicts: [],
    });
    expect(await row('opportunities', other)).toBeUndefined();
    expect(await row('opportunities', kept)).toMatchObject({
      amount: '12.5000',
      currency: 'EUR',
      next_step: 'Call',
      contact_email: 'a@one.com',
      version: 2,
    });
    expect(await rows('contact_id FROM opportunity_contacts WHERE ORG AND opportunity_id = $2', [kept])).toHaveLength(
      2,
    );
    expect((await eventsAfter(before)).map(({ type }) => type)).toEqual(
      expect.arrayContaining(['opportunity.merged', 'opportunity.deleted']),
    );
    expect((await changeOpportunity(other, {})).body).toMatchObject({ merged_into: kept });
  });

  test.each(both)(
    'a dry run of %s answers what would change and writes nothing',
    async (_about, contract, _delete, make) => {
      const [id, from] = [await make('dry'), await make('run')];
      const before = await position();
      const tables = ['idempotency_keys', 'merged_records', 'events'];
      const counts = await Promise.all(tables.map(countOf));
      const answer = await merge(contract, id, { from, dry_run: true }, { 'idempotency-key': 'dry' });
      expect(answer.data).toMatchObject({ id, from, dry_run: true });
      expect(await position()).toBe(before);
      expect(await Promise.all(tables.map(countOf))).toEqual(counts);
      expect((await merge(contract, id, { from })).status).toBe(200);
    },
  );

  test.each(both)(
    'a repeated merge of %s under its Idempotency-Key answers the first response',
    async (_about, contract, _delete, make) => {
      const [id, from] = [await make('once'), await make('twice')];
      const key = { 'idempotency-key': `merge-${id}` };
      const first = await merge(contract, id, { from }, key);
      const again = await merge(contract, id, { from }, key);
      expect(again.headers.get('idempotent-replayed')).toBe('true');
      expect(again.data).toEqual(first.data);
      expect((await merge(contract, id, { from, dry_run: false }, key)).status).toBe(422);
    },
  );
});
