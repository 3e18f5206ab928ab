import { createContact, deleteAccount, deleteContact, mergeAccount, mergeContact } from '@crm/contract';
import { afterAll, beforeAll, describe, expect, test } from '@jest/globals';
import { expectConsistent } from './support/expect-consistent.js';
import { startTestGateway, type TestGateway } from './support/gateway.js';
import { mergingOf } from './support/merging-of.js';
import { recordsOf, unknownId, versionOf } from './support/records-of.js';

let gateway: TestGateway;
const { account, contact, opportunity, changeAccount, changeContact } = recordsOf(() => gateway);
const { merge, create, rows } = mergingOf(() => gateway);

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

describe('400', () => {
  test.each(both)(
    'refuses to merge %s with itself, with an unknown id, and with an invalid body',
    async (_about, contract, _delete, make) => {
      const id = await make('selfish');
      expect((await merge(contract, id, { from: id.toUpperCase() })).fieldsAtFault).toEqual(['from']);
      expect((await merge(contract, id, { from: unknownId })).fieldsAtFault).toEqual(['from']);
      expect((await merge(contract, id, {})).fieldsAtFault).toEqual(['from']);
      expect((await merge(contract, id, { from: unknownId, deals: 'keep' })).fieldsAtFault).toEqual(['deals']);
    },
  );
});

describe('404', () => {
  test.each(both)('names the kept record for %s that were merged', async (about, contract, remove, make) => {
    const [id, from] = [await make('there'), await make('away')];
    await merge(contract, id, { from });
    const change = about === 'accounts' ? changeAccount : changeContact;
    const answers = [
      await change(from, {}),
      await gateway.client.call(remove, { params: { id: from } }),
      await merge(contract, from, { from: id }),
    ];
    for (const answer of answers) {
      expect(answer.status).toBe(404);
      expect(answer.body).toMatchObject({ merged_into: id });
    }
    expect((await merge(contract, unknownId, { from: id })).body).not.toHaveProperty('merged_into');
  });
});

describe('409', () => {
  test('refuses a change to an alias of another record', async () => {
    const id = await account({ domain: 'holder.com' });
    await merge(mergeAccount, id, { from: await account({ domain: 'held.com' }) });
    const other = await account({ domain: 'wants.com' });
    const refused = await changeAccount(other, { domain: 'held.com' });
    expect(refused.status).toBe(409);
    expect(refused.body).toMatchObject({ conflict: { field: 'domain', existing_id: id } });
    const person = await contact({ email: 'p@holder.com' });
    await merge(mergeContact, person, { from: await contact({ email: 'q@holder.com' }) });
    const answer = await changeContact(await contact({ email: 'r@holder.com' }), { email: 'q@holder.com' });
    expect(answer.body).toMatchObject({ conflict: { field: 'email', existing_id: person } });
  });

  test.each([
    ['changes', 2_001, 0, 'One merge changes at most 2000 opportunities: delete or move some first'],
    [
      'merges',
      501,
      501,
      'One merge merges at most 500 pairs of opportunities with the same pipeline and name: rename or delete some first',
    ],
  ])('refuses more opportunities than one merge %s', async (name, ofFrom, ofKept, message) => {
    const id = await account({ domain: `small-${name}.com` });
    const from = await account({ domain: `large-${name}.com` });
    for (const [owner, count] of [
      [from, ofFrom],
      [id, ofKept],
    ])
      await gateway.rows(
        `INSERT INTO opportunities (organization_id, id, pipeline_id, account_id, account_key, name, normalized_name, record, search_text, created_at, updated_at)
         SELECT $1, gen_random_uuid(), $2::uuid, $3::uuid, $3, 'Large ' || n, 'large ' || n, '', 'large ' || n, now(), now() FROM generate_series(1, $4::int) n`,
        [gateway.organization.pipeline.id, owner, count],
      );
    const body = { from, deals: 'merge' };
    const answers = [await merge(mergeAccount, id, body), await merge(mergeAccount, id, { ...body, dry_run: true })];
    await gateway.rows(`DELETE FROM opportunities WHERE organization_id = $1 AND name LIKE 'Large %'`);
    for (const answer of answers) {
      expect(answer.status).toBe(409);
      expect(answer.body).toMatchObject({ message });
    }
  });
});

describe('409 for contacts', () => {
  test('refuses opportunities that together have too many additional contacts, also in a dry run', async () => {
    const id = await account({ domain: 'few-contacts.com' });
    const from = await account({ domain: 'many-contacts.com' });
    for (const account_domain of ['few-contacts.com', 'many-contacts.com']) {
      const additional_contact_emails = Array.from({ length: 51 }, (_, n) => `c${n}@${account_domain}`);
      await opportunity({ name: 'Crowded' }, { account_domain, additional_contact_emails });
    }
    for (const dry_run of [true, false]) {
      const answer = await merge(mergeAccount, id, { from, deals: 'merge', dry_run });
      expect(answer.status).toBe(409);
      expect(answer.body).toMatchObject({
        message: 'A merged opportunity would have more than 100 additional contacts: remove some first',
      });
    }
    expect((await merge(mergeAccount, id, { from, dry_run: true })).status).toBe(200);
  });
});

describe('412', () => {
  test.each(both)('refuses to merge into %s in another version', async (_about, contract, _delete, make) => {
    const [id, from] = [await make('versioned'), await make('version')];
    expect((await merge(contract, id, { from }, { 'if-match': '"2"' })).status).toBe(412);
    expect((await merge(contract, id, { from }, { 'if-match': '"1"' })).status).toBe(200);
  });
});

describe('an erased person', () => {
  test('leaves no trace of the contacts that were merged into them', async () => {
    const id = await contact({ email: 'kept@erased.com' });
    const from = await contact({ email: 'canary-alias@erased.com', first_name: 'Canaryname' });
    await opportunity({ name: 'Stays' }, { primary_contact_email: 'canary-alias@erased.com' });
    await merge(mergeContact, id, { from }, { 'idempotency-key': 'erase' });
    expect((await gateway.client.call(deleteContact, { params: { id } })).status).toBe(200);
    expect(await rows('* FROM contact_aliases WHERE ORG AND contact_id = $2', [id])).toEqual([]);
    for (const table of [
      'contacts',
      'contact_aliases',
      'opportunities',
      'idempotency_keys',
      'events',
      'merged_records',
    ])
      expect(await rows(`t.* FROM ${table} t WHERE t.ORG AND t::text ~* 'canary'`)).toEqual([]);
    const made = await create(createContact, { email: 'canary-alias@erased.com' });
    expect(made.headers.get('x-record-status')).toBe('created');
    expect(versionOf(await changeContact(made.data.people_id, {}))).toBe(1);
  });
});
