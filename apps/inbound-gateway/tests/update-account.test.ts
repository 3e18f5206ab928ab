import { afterAll, beforeAll, describe, expect, test } from '@jest/globals';
import { expectConsistent } from './support/expect-consistent.js';
import { startTestGateway, type TestGateway } from './support/gateway.js';
import { recordsOf, unknownId, versionOf } from './support/records-of.js';

let gateway: TestGateway;
const { account, opportunity, changeAccount: change } = recordsOf(() => gateway);

beforeAll(async () => {
  gateway = await startTestGateway();
  const { defineField } = gateway.organization;
  await defineField({ objectType: 'account', slug: 'tier', attributeType: 'number' });
  await defineField({ objectType: 'account', slug: 'motto', attributeType: 'string' });
  await defineField({ objectType: 'account', slug: 'hidden_note', attributeType: 'string', isHidden: true });
});
afterAll(async () => {
  await expectConsistent(gateway);
  await gateway.stop();
});

const stored = async (id: string) =>
  (await gateway.rows('SELECT * FROM accounts WHERE organization_id = $1 AND id = $2', [id]))[0];

describe('200', () => {
  test('answers the whole account with its visible custom fields and its version', async () => {
    const id = await account({ domain: 'whole.com', custom__tier: 1, custom__hidden_note: 'x' });
    const answer = await change(id, { industry: 'Steel' });
    expect(answer.data.account).toEqual({
      id,
      external_id: null,
      domain: 'whole.com',
      name: 'Whole',
      custom_fields: { tier: 1 },
      industry: 'Steel',
      description: null,
      website: null,
      employee_range: null,
      is_freemail: false,
      created_at: expect.any(String),
      updated_at: expect.any(String),
      version: 2,
    });
    expect(Object.keys(answer.data.custom_field_definitions).sort()).toEqual(['motto', 'tier']);
    expect(versionOf(answer)).toBe(2);
  });

  test('keeps absent fields and clears fields that are null', async () => {
    const id = await account({ domain: 'keeps.com', industry: 'Steel', description: 'Old', custom__tier: 1 });
    const answer = await change(id, { description: null, custom_fields: { motto: 'Ever on' } });
    expect(answer.data.account).toMatchObject({ industry: 'Steel', description: null, name: 'Keeps' });
    expect(answer.data.account.custom_fields).toEqual({ tier: 1, motto: 'Ever on' });
    const cleared = await change(id, { name: null, industry: ' ', custom__tier: null });
    expect(cleared.data.account).toMatchObject({ industry: null, name: null, custom_fields: { motto: 'Ever on' } });
  });

  test('changes nothing, not even the version, for an empty body and for equal values', async () => {
    const id = await account({ domain: 'same.com', industry: 'Steel', custom__tier: 2 });
    const before = await stored(id);
    for (const body of [
      {},
      { industry: 'Steel', custom__tier: 2, domain: 'SAME.com', name: 'Same' },
      { website: null },
    ])
      expect(versionOf(await change(id, body))).toBe(1);
    expect(await stored(id)).toEqual(before);
  });

  test('normalizes a new domain, finds the account by it and frees the old one', async () => {
    const id = await account({ domain: 'old-domain.com' });
    const answer = await change(id, { domain: 'https://WWW.Neue-Müller.de/x' });
    expect(answer.data.account).toMatchObject({ domain: 'xn--neue-mller-feb.de', name: 'Old-domain' });
    expect(await account({ domain: 'neue-müller.de' })).toBe(id);
    expect(await account({ domain: 'old-domain.com' })).not.toBe(id);
  });

  test('updates whether the account is a mail provider when the domain changes', async () => {
    const id = await account({ domain: 'will-be-mail.com' });
    expect((await change(id, { domain: 'gmail.com' })).data.account.is_freemail).toBe(true);
    expect((await change(id, { domain: 'was-mail.com' })).data.account.is_freemail).toBe(false);
  });

  test('updates the texts by which its opportunities are found when its name and domain change', async () => {
    const id = await account({ domain: 'before.com' });
    const deal = await opportunity({ name: 'Deal' }, { account_domain: 'before.com' });
    await change(id, { name: 'Nachher GmbH', domain: 'after.com' });
    const [row] = await gateway.rows('SELECT search_text FROM opportunities WHERE organization_id = $1 AND id = $2', [
      deal,
    ]);
    expect(row).toEqual({ search_text: 'deal nachher gmbh after.com' });
    expect(await opportunity({ name: 'Deal' }, { account_domain: 'after.com' })).toBe(deal);
  });

  test('accepts values just as they were read, even those that normalization made longer', async () => {
    const id = await account({ domain: 'www.ΐλφα.gr' });
    const fields = { domain: 'ΐλφα.gr', name: '\u0958'.repeat(80), website: ` x.com/${'ü'.repeat(340)} ` };
    for (const sent of [{ industry: 'Steel' }, fields, { website: `HTTPS://www.x.com?${'"'.repeat(600)}` }]) {
      const changed = await change(id, sent);
      expect({ sent, status: changed.status }).toEqual({ sent, status: 200 });
      const { domain, name, website, industry } = changed.data.account;
      const written = await change(id, { domain, name, website, industry });
      expect(written.errors).toEqual({});
      expect(written.data.account).toMatchObject({ domain, name, website, industry });
    }
  });
});

describe('400', () => {
  test.each([{ domain: null }, { company_id: 'x' }, { version: 3 }, { custom_fields: null }])(
    'refuses %j',
    async (body) => {
      const answer = await change(unknownId, body);
      expect([answer.status, answer.fieldsAtFault]).toEqual([400, Object.keys(body)]);
    },
  );

  test('names every invalid field and changes nothing', async () => {
    const id = await account({ domain: 'faults.com' });
    const answer = await change(id, {
      domain: 'x',
      website: 'not a host',
      industry: 'Steel',
      custom__tier: '1',
      custom_fields: { nothing: 1 },
    });
    expect(answer.status).toBe(400);
    expect(answer.fieldsAtFault).toEqual(['custom__tier', 'custom_fields.nothing', 'domain', 'website']);
    expect(await stored(id)).toMatchObject({ industry: null, version: 1 });
  });
});

describe('404, 409 and 412', () => {
  test('reads If-Match as a version: strong, weak or any', async () => {
    const id = await account({ domain: 'tags.com' });
    for (const tag of ['"1"', 'W/"1"', '*']) expect((await change(id, {}, { 'if-match': tag })).status).toBe(200);
    for (const tag of ['3', '""', '"0"', '"x"', '"1", "2"']) {
      const answer = await change(id, {}, { 'if-match': tag });
      expect([tag, answer.status, answer.fieldsAtFault]).toEqual([tag, 400, ['If-Match']]);
    }
  });

  test('applies one of several parallel changes to the same version', async () => {
    const id = await account({ domain: 'race.com' });
    const bodies = Array.from({ length: 5 }, (_, index) => ({ industry: `Industry ${index}` }));
    const answers = await Promise.all(bodies.map((body) => change(id, body, { 'if-match': '"1"' })));
    expect(answers.map(({ status }) => status).sort()).toEqual([200, 412, 412, 412, 412]);
  });

  test('gives a domain to one of several accounts that take it at the same time', async () => {
    const ids = await Promise.all([1, 2, 3, 4].map((index) => account({ domain: `taker-${index}.com` })));
    const answers = await Promise.all(ids.map((id) => change(id, { domain: 'taken.com' })));
    expect(answers.map(({ status }) => status).sort()).toEqual([200, 409, 409, 409]);
  });

  test('refuses the domain of another account and names that account', async () => {
    const holder = await account({ domain: 'held.com' });
    const id = await account({ domain: 'wants.com' });
    const answer = await change(id, { domain: 'HELD.com', industry: 'Steel' });
    expect(answer.status).toBe(409);
    expect(answer.body).toMatchObject({ conflict: { field: 'domain', existing_id: holder } });
    expect(await stored(id)).toMatchObject({ domain: 'wants.com', industry: null });
  });

  test('refuses another version than that in If-Match, even if nothing would change', async () => {
    const id = await account({ domain: 'versions.com' });
    await change(id, { industry: 'Steel' });
    for (const body of [{ industry: 'Coal' }, {}, { industry: 'Steel' }])
      expect((await change(id, body, { 'if-match': '"1"' })).status).toBe(412);
    expect(versionOf(await change(id, { industry: 'Coal' }, { 'if-match': '"2"' }))).toBe(3);
  });
});
