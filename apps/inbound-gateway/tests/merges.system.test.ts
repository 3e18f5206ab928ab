import * as api from '@crm/contract';
import { describe, expect, test } from '@jest/globals';
import { recordsOf, statusOf, unknownId, versionOf } from './support/records-of.js';
import { useGateway } from './support/use-gateway.js';

const gateway = useGateway(async ({ organization: { defineField } }) => {
  await defineField({ objectType: 'account', slug: 'tier', attributeType: 'number' });
  await defineField({ objectType: 'account', slug: 'motto', attributeType: 'string' });
});
const { account, contact, opportunity, row, countOf, create, ...records } = recordsOf(gateway);
const { changeAccount, changeContact, changeOpportunity } = records;
const note = (title: string, on: object) => records.note({ title }, on);

const merge = (
  contract: typeof api.mergeAccount | typeof api.mergeContact,
  id: string,
  body: object,
  headers: Readonly<Record<string, string>> = {},
) => gateway().client.call(contract, { params: { id }, body, headers });
/** Runs a query in which `ORG` stands for the condition on the organization. */
const rows = (text: string, ...values: readonly unknown[]) =>
  gateway().rows(`SELECT ${text.replace('ORG', 'organization_id = $1')}`, values);
const position = async (): Promise<number> =>
  Number((await rows('coalesce(max(position), 0) AS n FROM events WHERE ORG'))[0]?.['n']);
const eventsAfter = (after: number) =>
  rows(
    'type, record_id, version, changed, previous, record, merged_with FROM events WHERE ORG AND position > $2 ORDER BY position',
    after,
  );
const linked = (table: string, column: string, owner: string, id: string) =>
  rows(`${column} FROM ${table} WHERE ORG AND ${owner} = $2`, id);

const both = [
  ['accounts', api.mergeAccount, api.deleteAccount, (n: string) => account({ domain: `${n}.com` })],
  ['contacts', api.mergeContact, api.deleteContact, (n: string) => contact({ email: `${n}@people.com` })],
] as const;

describe('200', () => {
  test('gives an account the contacts, opportunities, notes and missing values of another one', async () => {
    const id = await account({ domain: 'kept.com', industry: 'Steel', custom__tier: 3 });
    const others = { industry: 'Wood', description: 'D', custom__tier: 5, custom__motto: 'Ever On' };
    const from = await account({ domain: 'gone.com', ...others });
    const person = await contact({ email: 'ann@gone.com' });
    const deal = await opportunity({ name: 'Moves' }, { primary_contact_email: 'ann@gone.com' });
    const onBoth = await note('Both', { account_domains: ['gone.com', 'kept.com'] });
    await note('Gone', { account_domains: ['gone.com'] });
    const before = await position();
    expect((await merge(api.mergeAccount, id, { from })).data).toEqual({
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
    const moved = { account_id: id, account_key: id, account_domain: 'kept.com', version: 2 };
    expect(await row('opportunities', deal)).toMatchObject(moved);
    expect(await linked('note_accounts', 'account_id', 'note_id', onBoth)).toEqual([{ account_id: id }]);
    const events = await eventsAfter(before);
    const changes = ['opportunity.updated', 'contact.updated', 'note.updated', 'note.updated'];
    expect(events.map(({ type }) => type)).toEqual(['account.merged', ...changes, 'account.deleted']);
    expect(events[0]).toMatchObject({
      record_id: id,
      version: 2,
      merged_with: from,
      changed: ['additional_domains', 'description', 'custom_fields.motto'],
      previous: { additional_domains: [] },
      record: { additional_domains: ['gone.com'] },
    });
    expect(events.at(-1)).toMatchObject({ record_id: from, merged_with: id, previous: { additional_domains: [] } });
    expect(events.slice(1, -1).map((event) => event['merged_with'])).toEqual([null, null, null, null]);
    expect(events.at(-1)).toMatchObject({ record_id: from });
  });

  test('passes on the notes of a merged opportunity', async () => {
    const id = await account({ domain: 'noted-kept.com' });
    const from = await account({ domain: 'noted-gone.com' });
    const stays = await opportunity({ name: 'Noted' }, { account_domain: 'noted-kept.com' });
    const goes = await opportunity({ name: 'Noted' }, { account_domain: 'noted-gone.com' });
    const onOne = await note('On one', { related_objects: { opportunity_ids: [goes] } });
    const related_objects = { opportunity_ids: [goes, stays] };
    const onBoth = await note('On both', { account_domains: ['noted-gone.com'], related_objects });
    const before = await position();
    const answer = await merge(api.mergeAccount, id, { from, deals: 'merge' });
    expect(answer.data).toMatchObject({ merged_opportunities: 1, notes: 2 });
    for (const written of [onOne, onBoth])
      expect(await linked('note_opportunities', 'opportunity_id', 'note_id', written)).toEqual([
        { opportunity_id: stays },
      ]);
    const events = (await eventsAfter(before)).filter(({ type }) => type === 'note.updated');
    expect(events.map(({ record_id, changed }) => `${String(record_id)} ${String(changed)}`).sort()).toEqual(
      [`${onOne} opportunity_ids`, `${onBoth} opportunity_ids`, `${onBoth} account_ids`].sort(),
    );
  });

  test('puts the kept contact in place of the merged one in opportunities and notes', async () => {
    const id = await contact({ email: 'bob@gmail.com', first_name: 'Bob' });
    const from = await contact({ email: 'rob@gmail.com', first_name: 'Rob', last_name: 'Ray', job_title: 'CTO' });
    const rob = { primary_contact_email: 'rob@gmail.com' };
    const primary = await opportunity({ name: 'Primary' }, { ...rob, additional_contact_emails: ['bob@gmail.com'] });
    const emails = ['rob@gmail.com', 'bob@gmail.com'];
    const shop = { account_domain: 'shop.com', primary_contact_email: 'x@shop.com' };
    const second = await opportunity({ name: 'Second' }, { ...shop, additional_contact_emails: emails });
    const written = await note('On both', { contact_emails: emails });
    const answer = await merge(api.mergeContact, id, { from });
    expect(answer.data).toMatchObject({ contacts: 0, opportunities: 2, notes: 1, filled: ['job_title', 'last_name'] });
    const names = { first_name: 'Bob', last_name: 'Ray', normalized_name: 'bob ray' };
    expect(await row('contacts', id)).toMatchObject({ ...names, job_title: 'CTO', version: 2 });
    const moved = { contact_id: id, account_key: id, contact_email: 'bob@gmail.com' };
    expect(await row('opportunities', primary)).toMatchObject(moved);
    const links = (deal: string) => linked('opportunity_contacts', 'contact_id', 'opportunity_id', deal);
    expect([await links(primary), await links(second)]).toEqual([[], [{ contact_id: id }]]);
    expect(await linked('note_contacts', 'contact_id', 'note_id', written)).toEqual([{ contact_id: id }]);
    // A repeated create finds the moved opportunity by the email that is now an alias.
    expect(await opportunity({ name: 'Primary' }, rob)).toBe(primary);
  });

  test('finds the kept account by an alias domain everywhere', async () => {
    const id = await account({ domain: 'named.com' });
    const from = await account({ domain: 'alias.com' });
    await merge(api.mergeAccount, from, { from: await account({ domain: 'older.com' }) });
    await merge(api.mergeAccount, id, { from });
    for (const domain of ['alias.com', 'older.com']) {
      const found = await create(api.createAccount, { domain });
      expect(found.data).toEqual({ company_id: id, account_id: id, domain: 'named.com', name: 'Named' });
      expect(statusOf(found)).toBe('matched');
    }
    const update = { on_match: 'update' };
    expect(statusOf(await create(api.createAccount, { domain: 'alias.com', industry: 'Glass' }, update))).toBe(
      'updated',
    );
    expect(await row('accounts', id)).toMatchObject({ domain: 'named.com', industry: 'Glass' });
    expect(await row('contacts', await contact({ email: 'new@alias.com' }))).toMatchObject({ account_id: id });
    const deal = await opportunity({ name: 'By alias' }, { account_domain: 'older.com' });
    expect(await row('opportunities', deal)).toMatchObject({ account_id: id });
    await opportunity({ name: 'With a new contact' }, { primary_contact_email: 'newer@older.com' });
    expect(await rows(`account_id FROM contacts WHERE ORG AND email = 'newer@older.com'`)).toEqual([
      { account_id: id },
    ]);
    const written = await note('By alias', { account_domains: ['alias.com', 'named.com', 'older.com'] });
    expect(await linked('note_accounts', 'account_id', 'note_id', written)).toEqual([{ account_id: id }]);
    expect(await countOf(`accounts WHERE domain IN ('alias.com', 'older.com')`)).toBe(0);
  });

  test('finds the kept contact by an alias email everywhere', async () => {
    const id = await contact({ email: 'eve@named.org' });
    await merge(api.mergeContact, id, { from: await contact({ email: 'eva@named.org', phone: '+4930123456' }) });
    const found = await create(api.createContact, { email: 'eva@named.org', first_name: 'Eve' });
    expect(found.data).toMatchObject({ people_id: id, email: 'eve@named.org', first_name: 'Eve' });
    expect(statusOf(found)).toBe('updated');
    const related = {
      primary_contact_email: 'eve@named.org',
      additional_contact_emails: ['eva@named.org', 'other@named.org'],
    };
    const deal = await opportunity({ name: 'Named twice' }, related);
    expect(await row('opportunities', deal)).toMatchObject({ contact_id: id });
    expect(await countOf('opportunity_contacts WHERE opportunity_id = $2', deal)).toBe(1);
  });

  test('lets a record take its own alias back, which ends the alias', async () => {
    const id = await account({ domain: 'now.com' });
    await merge(api.mergeAccount, id, { from: await account({ domain: 'then.com' }) });
    expect((await changeAccount(id, { domain: 'then.com' })).data.account.domain).toBe('then.com');
    expect(await countOf('account_aliases WHERE account_id = $2', id)).toBe(0);
    expect(await account({ domain: 'now.com' })).not.toBe(id);
  });

  test('merges colliding opportunities if the request asks for it', async () => {
    const [id, from] = [await account({ domain: 'one.com' }), await account({ domain: 'two.com' })];
    const kept = await opportunity({ name: 'Same' }, { account_domain: 'one.com', primary_contact_email: 'a@one.com' });
    const contacts = { primary_contact_email: 'b@two.com', additional_contact_emails: ['c@two.com'] };
    const fields = { name: 'Same', deal_size: 12.5, currency: 'EUR', next_step: 'Call' };
    const other = await opportunity(fields, { account_domain: 'two.com', ...contacts });
    const refused = await merge(api.mergeAccount, id, { from });
    const pair = { id: other, existing_id: kept, pipeline_id: gateway().organization.pipeline.id, name: 'Same' };
    expect([refused.status, refused.body]).toMatchObject([409, { conflicts: [pair] }]);
    const counts = { merged_opportunities: 1, conflicts: [pair] };
    expect((await merge(api.mergeAccount, id, { from, dry_run: true })).data).toMatchObject(counts);
    const before = await position();
    const merged = await merge(api.mergeAccount, id, { from, deals: 'merge' });
    expect(merged.data).toMatchObject({ opportunities: 0, merged_opportunities: 1, conflicts: [] });
    expect(await row('opportunities', other)).toBeUndefined();
    const values = { amount: '12.5000', currency: 'EUR', next_step: 'Call', contact_email: 'a@one.com', version: 2 };
    expect(await row('opportunities', kept)).toMatchObject(values);
    expect(await countOf('opportunity_contacts WHERE opportunity_id = $2', kept)).toBe(2);
    const types = (await eventsAfter(before)).map(({ type }) => type);
    expect(types).toEqual(expect.arrayContaining(['opportunity.merged', 'opportunity.deleted']));
    expect((await changeOpportunity(other, {})).body).toMatchObject({ merged_into: kept });
  });

  test.each(both)('a dry run of %s answers what would change and writes nothing', async (_about, contract, _, make) => {
    const [id, from] = [await make('dry'), await make('run')];
    const counts = () => Promise.all(['idempotency_keys', 'merged_records', 'events'].map((table) => countOf(table)));
    const before = await counts();
    const answer = await merge(contract, id, { from, dry_run: true }, { 'idempotency-key': 'dry' });
    expect(answer.data).toMatchObject({ id, from, dry_run: true });
    expect(await counts()).toEqual(before);
    expect((await merge(contract, id, { from })).status).toBe(200);
  });

  test('the deletion of a merged contact erases the contacts that were merged into it', async () => {
    const id = await contact({ email: 'kept@erased.com' });
    const from = await contact({ email: 'canary-alias@erased.com', first_name: 'Canaryname' });
    await opportunity({ name: 'Stays' }, { primary_contact_email: 'canary-alias@erased.com' });
    await merge(api.mergeContact, id, { from }, { 'idempotency-key': 'erase' });
    expect((await gateway().client.call(api.deleteContact, { params: { id } })).status).toBe(200);
    expect(await countOf('contact_aliases WHERE contact_id = $2', id)).toBe(0);
    const tables = ['contacts', 'contact_aliases', 'opportunities', 'idempotency_keys', 'events', 'merged_records'];
    for (const table of tables)
      expect(await rows(`t.* FROM ${table} t WHERE t.ORG AND t::text ~* 'canary'`)).toEqual([]);
    const made = await create(api.createContact, { email: 'canary-alias@erased.com' });
    expect(statusOf(made)).toBe('created');
    expect(versionOf(await changeContact(made.data.people_id, {}))).toBe(1);
  });
});

describe('refusals', () => {
  test.each(both)(
    '400: of %s with itself, with an unknown id, and of an invalid body',
    async (_, contract, __, make) => {
      const id = await make('selfish');
      expect((await merge(contract, id, { from: id.toUpperCase() })).fieldsAtFault).toEqual(['from']);
      expect((await merge(contract, id, { from: unknownId, deals: 'keep' })).fieldsAtFault).toEqual(['deals']);
    },
  );

  test.each(both)('404: names the kept record for %s that were merged', async (about, contract, remove, make) => {
    const [id, from] = [await make('there'), await make('away')];
    await merge(contract, id, { from });
    for (const answer of [
      await (about === 'accounts' ? changeAccount : changeContact)(from, {}),
      await gateway().client.call(remove, { params: { id: from } }),
      await merge(contract, from, { from: id }),
    ])
      expect([answer.status, answer.body]).toMatchObject([404, { merged_into: id }]);
    expect((await merge(contract, unknownId, { from: id })).body).not.toHaveProperty('merged_into');
  });

  test('409: a change to an alias of another record', async () => {
    const id = await account({ domain: 'holder.com' });
    await merge(api.mergeAccount, id, { from: await account({ domain: 'held.com' }) });
    const refused = await changeAccount(await account({ domain: 'wants.com' }), { domain: 'held.com' });
    expect([refused.status, refused.body.conflict]).toEqual([409, { field: 'domain', existing_id: id }]);
    const person = await contact({ email: 'p@holder.com' });
    await merge(api.mergeContact, person, { from: await contact({ email: 'q@holder.com' }) });
    const answer = await changeContact(await contact({ email: 'r@holder.com' }), { email: 'q@holder.com' });
    expect(answer.body.conflict).toEqual({ field: 'email', existing_id: person });
  });

  test.each(both)('412: into %s in another version', async (_about, contract, _, make) => {
    const [id, from] = [await make('versioned'), await make('version')];
    expect((await merge(contract, id, { from }, { 'if-match': '"2"' })).status).toBe(412);
    expect((await merge(contract, id, { from }, { 'if-match': '"1"' })).status).toBe(200);
  });
});
