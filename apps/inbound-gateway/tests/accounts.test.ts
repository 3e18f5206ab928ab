import { createAccount } from '@crm/contract';
import { describe, expect, test } from '@jest/globals';
import { recordsOf, statusOf, unknownId, versionOf } from './support/records-of.js';
import { useGateway } from './support/use-gateway.js';

const gateway = useGateway(async ({ organization: { defineField } }) => {
  await defineField({ objectType: 'account', slug: 'tier', attributeType: 'number' });
  await defineField({ objectType: 'account', slug: 'motto', attributeType: 'string' });
  await defineField({ objectType: 'account', slug: 'hidden_note', attributeType: 'string', isHidden: true });
  await defineField({ objectType: 'contact', slug: 'birthday', attributeType: 'date' });
});
const { account, opportunity, changeAccount: change, row, ...records } = recordsOf(gateway);
const create = (body: object, query?: Readonly<Record<string, string>>) => records.create(createAccount, body, query);

describe('a create', () => {
  test('200: stores an account with all its fields and names it after its domain', async () => {
    const body = { industry: 'Steel', description: 'Makes steel', website: 'steel.com', employee_range: '51-200' };
    const answer = await create({ domain: 'steel.com', ...body, custom_fields: { tier: 2 } });
    expect([answer.status, statusOf(answer), answer.body.warnings]).toEqual([200, 'created', undefined]);
    const id = answer.data.company_id;
    expect(answer.data).toEqual({ company_id: id, account_id: id, domain: 'steel.com', name: 'Steel' });
    expect(await row('accounts', answer.data.company_id)).toMatchObject({
      ...body,
      name: 'Steel',
      website: expect.stringContaining('steel.com'),
      custom_fields: { tier: 2 },
    });
  });

  test('200: finds the account by any spelling of its domain and creates no second one', async () => {
    const plain = await create({ domain: 'xn--mller-kva.de', name: ' Müller ' });
    expect(plain.data.name).toBe('Müller');
    for (const domain of ['https://ann:pw@www.müller.de:8443/a?b#c', ' mu\u0308ller.de\n']) {
      const again = await create({ domain });
      expect([again.data, statusOf(again), again.body.warnings]).toEqual([plain.data, 'matched', undefined]);
    }
  });

  test('200: keeps the stored values and warns about each different one that is sent', async () => {
    const id = await account({ domain: 'kept.com', name: 'Kept', industry: 'Steel', custom__tier: 1 });
    const body = { name: 'Other', industry: 'Steel', description: 'New', custom__tier: 2 };
    const second = await create({ domain: 'kept.com', ...body });
    expect(second.data).toMatchObject({ company_id: id, name: 'Kept' });
    expect([...second.fieldsWarnedOf].sort()).toEqual(['custom__tier', 'description', 'name']);
    expect(await row('accounts', id)).toMatchObject({ description: null, custom_fields: { tier: 1 } });
  });

  test.each<[object, string[]]>([
    [{}, ['domain']],
    [{ domain: 'a\u0000.com' }, ['domain']],
    [
      { domain: 'x', website: 'not a host', custom_fields: { tier: '2', nothing: 1 } },
      ['custom_fields.nothing', 'custom_fields.tier', 'domain', 'website'],
    ],
    [{ domain: 'long.com', name: '😀'.repeat(256), description: '😀'.repeat(10_001) }, ['description', 'name']],
    [{ domain: 'other-object.com', custom__birthday: '2020-01-01' }, ['custom__birthday']],
  ])('400: names every invalid field of %j', async (body, fields) => {
    const answer = await create(body);
    expect([answer.status, answer.fieldsAtFault]).toEqual([400, fields]);
  });

  test('400: does not know the custom fields of another organization', async () => {
    const body = { domain: 'shared.com', custom__tier: 1 };
    const answer = await gateway().clientOf(gateway().stranger).call(createAccount, { body });
    expect(answer.fieldsAtFault).toEqual(['custom__tier']);
  });
});

describe('an update', () => {
  test('200: answers the whole account with its visible custom fields and its version', async () => {
    const id = await account({ domain: 'whole.com', custom__tier: 1, custom__hidden_note: 'x' });
    const answer = await change(id, { industry: 'Steel' });
    expect(answer.data.account).toEqual({
      id,
      external_id: null,
      additional_domains: [],
      domain: 'whole.com',
      name: 'Whole',
      custom_fields: { tier: 1 },
      industry: 'Steel',
      description: null,
      website: null,
      employee_range: null,
      is_freemail: false,
      version: 2,
      created_at: expect.any(String),
      updated_at: expect.any(String),
    });
    expect(Object.keys(answer.data.custom_field_definitions).sort()).toEqual(['motto', 'tier']);
    expect(versionOf(answer)).toBe(2);
  });

  test('200: says whether the account is a mail provider, from its creation and after each new domain', async () => {
    const id = await account({ domain: 'gmail.com' });
    expect((await change(id, {})).data.account.is_freemail).toBe(true);
    expect((await change(id, { domain: 'was-mail.com' })).data.account.is_freemail).toBe(false);
    expect((await change(id, { domain: 'gmail.com' })).data.account.is_freemail).toBe(true);
  });

  test('200: updates the texts by which its opportunities are found when its name and domain change', async () => {
    const id = await account({ domain: 'before.com' });
    const deal = await opportunity({ name: 'Deal' }, { account_domain: 'before.com' });
    await change(id, { name: 'Nachher GmbH', domain: 'after.com' });
    expect(await row('opportunities', deal)).toMatchObject({ search_text: 'deal nachher gmbh after.com' });
    expect(await opportunity({ name: 'Deal' }, { account_domain: 'after.com' })).toBe(deal);
  });

  test('400: reads If-Match as a version: strong, weak, one of several or any', async () => {
    const id = await account({ domain: 'tags.com' });
    const compressed = ['"1-gzip"', 'W/"1-br"', '"1-zstd"', '"1--gzip"', '"1;gz"'];
    for (const tag of ['"1"', 'W/"1"', ...compressed, '"7", "1"', '"1.0f",W/"7"', '*'])
      expect((await change(id, {}, { 'if-match': tag })).status).toBe(200);
    for (const tag of ['3', '""', '"0"', '"x"', '"1-2"', '"1gzip"', '"1" "2"', '"1", *']) {
      const answer = await change(id, {}, { 'if-match': tag });
      expect([tag, answer.status, answer.fieldsAtFault]).toEqual([tag, 400, ['If-Match']]);
    }
  });

  test('409: refuses the domain of another account and names that account', async () => {
    const holder = await account({ domain: 'held.com' });
    const id = await account({ domain: 'wants.com' });
    const answer = await change(id, { domain: 'HELD.com', industry: 'Steel' });
    expect([answer.status, answer.body.conflict]).toEqual([409, { field: 'domain', existing_id: holder }]);
    expect(await row('accounts', id)).toMatchObject({ domain: 'wants.com', industry: null });
  });

  test('412: refuses another version than that in If-Match, even if nothing would change', async () => {
    const id = await account({ domain: 'versions.com' });
    await change(id, { industry: 'Steel' });
    for (const body of [{ industry: 'Coal' }, {}, { industry: 'Steel' }])
      for (const tags of ['"1"', '"1", "3"']) expect((await change(id, body, { 'if-match': tags })).status).toBe(412);
    expect((await change(unknownId, {}, { 'if-match': '"1", "3"' })).status).toBe(404);
    expect((await change(id, {}, { 'if-match': '"1-gzip"' })).status).toBe(412);
    expect(versionOf(await change(id, { industry: 'Coal' }, { 'if-match': '"2"' }))).toBe(3);
  });

  test('412: refuses what If-None-Match excludes, and takes the whole tag of a read in If-Match', async () => {
    const id = await account({ domain: 'none-match.com' });
    const tag = (await change(id, { industry: 'Steel' })).headers.get('etag') ?? '';
    expect(versionOf(await change(id, { industry: 'Coal' }, { 'if-match': tag }))).toBe(3);
    for (const header of ['*', '"3"', 'W/"3"', '"1", "3"'])
      expect((await change(id, { industry: 'x' }, { 'if-none-match': header })).status).toBe(412);
    expect((await change(id, {}, { 'if-none-match': tag })).status).toBe(200);
    expect((await change(id, {}, { 'if-none-match': ' ' })).status).toBe(200);
    expect((await change(unknownId, {}, { 'if-none-match': '*' })).status).toBe(404);
    expect((await change(id, {}, { 'if-none-match': 'x' })).fieldsAtFault).toEqual(['If-None-Match']);
    expect((await change(id, {}, { 'if-match': ' ' })).fieldsAtFault).toEqual(['If-Match']);
  });

  test('412: applies one of several parallel changes to the same version', async () => {
    const id = await account({ domain: 'race.com' });
    const bodies = Array.from({ length: 5 }, (_, index) => ({ industry: `Industry ${index}` }));
    const answers = await Promise.all(bodies.map((body) => change(id, body, { 'if-match': '"1"' })));
    expect(answers.map(({ status }) => status).sort()).toEqual([200, 412, 412, 412, 412]);
  });
});
