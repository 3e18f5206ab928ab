import { createAccount } from '@crm/contract';
import { afterAll, beforeAll, describe, expect, test } from '@jest/globals';
import { describeEveryOperation } from './support/describe-every-operation.js';
import { startTestGateway, type TestGateway } from './support/gateway.js';

let gateway: TestGateway;

beforeAll(async () => {
  gateway = await startTestGateway();
  const { defineField } = gateway.organization;
  await defineField({ objectType: 'account', slug: 'tier', attributeType: 'number' });
  await defineField({ objectType: 'contact', slug: 'birthday', attributeType: 'date' });
});
afterAll(() => gateway.stop());

const create = (body: object) => gateway.client.call(createAccount, { body });
const storedAccounts = (domain: string) =>
  gateway.rows<{ id: string; name: string; is_freemail: boolean; custom_fields: Record<string, unknown> }>(
    'SELECT * FROM accounts WHERE organization_id = $1 AND domain = $2',
    [domain],
  );

describe('200', () => {
  test('creates an account and names it after its domain', async () => {
    const answer = await create({ domain: 'acme.com' });
    expect(answer.status).toBe(200);
    expect(answer.data).toEqual({ company_id: expect.any(String), domain: 'acme.com', name: 'Acme' });
    expect(answer.headers.get('x-record-status')).toBe('created');
    expect(await storedAccounts('acme.com')).toMatchObject([{ id: answer.data.company_id, name: 'Acme' }]);
  });

  test('answers the existing account for the same domain and creates no second one', async () => {
    const first = await create({ domain: 'repeat.com' });
    const second = await create({ domain: 'repeat.com' });
    expect(second.data).toEqual(first.data);
    expect(second.headers.get('x-record-status')).toBe('matched');
    expect(second.body.warnings).toBeUndefined();
    expect(await storedAccounts('repeat.com')).toHaveLength(1);
  });

  test.each([
    'MÜLLER.de',
    'mu\u0308ller.de',
    'xn--mller-kva.de',
    'XN--MLLER-KVA.DE.',
    'https://ann:pw@www.müller.de:8443/a?b#c',
    'ｍüｌｌｅｒ．ｄｅ',
    ' müller.de\n',
  ])('normalizes %j to xn--mller-kva.de', async (domain) => {
    const plain = await create({ domain: 'xn--mller-kva.de' });
    const answer = await create({ domain });
    expect(answer.data).toEqual({ ...plain.data, domain: 'xn--mller-kva.de' });
    expect(await storedAccounts('xn--mller-kva.de')).toHaveLength(1);
  });

  test('keeps a Cyrillic homograph and a subdomain apart from the domain', async () => {
    const ids = [];
    for (const domain of ['twin.com', 'tw\u0456n.com', 'shop.twin.com'])
      ids.push((await create({ domain })).data.company_id);
    expect(new Set(ids).size).toBe(3);
  });

  test.each([
    ['shop.acme-tools.co.uk', 'Acme-tools'],
    ['müller-bau.de', 'Müller-bau'],
  ])('names the account of %s %s', async (domain, name) => {
    expect((await create({ domain })).data.name).toBe(name);
  });

  test('stores the given name, trimmed', async () => {
    expect((await create({ domain: 'named.com', name: ' The Named Ltd ' })).data.name).toBe('The Named Ltd');
  });

  test.each([null, '', '  '])('treats the name %j as no name', async (name) => {
    const domain = `unnamed-${String(name).length}.com`;
    expect((await create({ domain, name })).data.name).toBe('Unnamed-' + String(String(name).length));
  });

  test('stores all other fields and custom values', async () => {
    const body = { industry: 'Steel', description: 'Makes steel', website: 'steel.com', employee_range: '51-200' };
    const answer = await create({ domain: 'steel.com', ...body, custom_fields: { tier: 2 } });
    expect(answer.body.warnings).toBeUndefined();
    const [stored] = await storedAccounts('steel.com');
    expect(stored).toMatchObject({
      ...body,
      website: expect.stringContaining('steel.com'),
      custom_fields: { tier: 2 },
    });
  });

  test('accepts a custom value next to the other fields', async () => {
    await create({ domain: 'beside.com', custom__tier: 3 });
    expect(await storedAccounts('beside.com')).toMatchObject([{ custom_fields: { tier: 3 } }]);
  });

  test('keeps the stored values and warns about each different one that is sent', async () => {
    const first = await create({ domain: 'kept.com', name: 'Kept', industry: 'Steel', custom__tier: 1 });
    const second = await create({
      domain: 'kept.com',
      name: 'Other',
      industry: 'Steel',
      description: 'New',
      custom__tier: 2,
    });
    expect(second.data).toEqual(first.data);
    expect([...second.fieldsWarnedOf].sort()).toEqual(['custom__tier', 'description', 'name']);
    expect(await storedAccounts('kept.com')).toMatchObject([{ industry: 'Steel', custom_fields: { tier: 1 } }]);
  });

  test('marks the account of a mail provider’s domain', async () => {
    await create({ domain: 'gmail.com' });
    await create({ domain: 'no-provider.com' });
    expect(await storedAccounts('gmail.com')).toMatchObject([{ is_freemail: true }]);
    expect(await storedAccounts('no-provider.com')).toMatchObject([{ is_freemail: false }]);
  });
});

describe('400', () => {
  test.each([
    ['no domain', {}],
    ['null', { domain: null }],
    ['a number', { domain: 1 }],
    ['an empty text', { domain: '' }],
    ['a blank text', { domain: ' ' }],
    ['a single label', { domain: 'localhost' }],
    ['an address', { domain: '127.0.0.1' }],
    ['an email', { domain: 'ann@localhost' }],
    ['a domain of 254 characters', { domain: `${'a.'.repeat(126)}aa` }],
    ['U+0000', { domain: 'a\u0000.com' }],
    ['a text of a million characters', { domain: 'a'.repeat(200_000) }],
  ])('refuses %s as the domain', async (_about, body) => {
    const answer = await create(body);
    expect(answer.status).toBe(400);
    expect(answer.fieldsAtFault).toEqual(['domain']);
  });

  test('names every invalid field, not only the first', async () => {
    const answer = await create({ domain: 'x', website: 'not a host', custom_fields: { tier: '2', nothing: 1 } });
    expect(answer.status).toBe(400);
    expect(answer.fieldsAtFault).toEqual(['custom_fields.nothing', 'custom_fields.tier', 'domain', 'website']);
  });

  test.each([
    ['name', 256],
    ['industry', 256],
    ['employee_range', 256],
    ['description', 10_001],
  ])('refuses a %s of %d characters', async (name, length) => {
    const answer = await create({ domain: 'long.com', [name]: '😀'.repeat(length) });
    expect(answer.status).toBe(400);
    expect(answer.fieldsAtFault).toEqual([name]);
  });

  test('refuses a custom field of another object as unknown', async () => {
    expect((await create({ domain: 'other-object.com', custom__birthday: '2020-01-01' })).fieldsAtFault).toEqual([
      'custom__birthday',
    ]);
  });

  test.each(['"\\u0000"', '"\\ud800"', '"x\\udc00y"'])('refuses the name %s and stores nothing', async (name) => {
    const rawBody = `{"domain":"refused.com","name":${name}}`;
    const answer = await gateway.client.call(createAccount, { rawBody });
    expect(answer.status).toBe(400);
    expect(answer.fieldsAtFault).toEqual(['name']);
    expect(await storedAccounts('refused.com')).toEqual([]);
  });
});

describe('two organizations', () => {
  test('each have their own account for the same domain', async () => {
    const ours = await create({ domain: 'shared.com', name: 'Ours' });
    const theirs = await gateway.clientOf(gateway.stranger).call(createAccount, { body: { domain: 'shared.com' } });
    expect(theirs.headers.get('x-record-status')).toBe('created');
    expect(theirs.data.name).toBe('Shared');
    expect(theirs.data.company_id).not.toBe(ours.data.company_id);
    expect((await create({ domain: 'shared.com' })).data).toEqual(ours.data);
  });

  test('do not know each other’s custom fields', async () => {
    const answer = await gateway
      .clientOf(gateway.stranger)
      .call(createAccount, { body: { domain: 'shared.com', custom__tier: 1 } });
    expect(answer.fieldsAtFault).toEqual(['custom__tier']);
  });
});

describeEveryOperation(
  createAccount,
  () => gateway,
  () => ({ domain: 'every-operation.com' }),
);
