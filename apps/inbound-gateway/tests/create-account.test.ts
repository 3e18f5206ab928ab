import { createAccount } from '@crm/contract';
import { afterAll, beforeAll, describe, expect, test } from '@jest/globals';
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

  test('normalizes the domain and the name', async () => {
    const plain = await create({ domain: 'xn--mller-kva.de', name: ' Müller ' });
    expect(plain.data.name).toBe('Müller');
    for (const domain of ['https://ann:pw@www.müller.de:8443/a?b#c', ' mu\u0308ller.de\n'])
      expect((await create({ domain })).data).toEqual(plain.data);
    expect((await create({ domain: 'unnamed.com', name: '  ' })).data.name).toBe('Unnamed');
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
  test.each([{}, { domain: 1 }, { domain: 'localhost' }, { domain: 'a\u0000.com' }])(
    'refuses the domain of %j',
    async (body) => {
      const answer = await create(body);
      expect([answer.status, answer.fieldsAtFault]).toEqual([400, ['domain']]);
    },
  );

  test('refuses texts that are too long', async () => {
    const long = { name: '😀'.repeat(256), industry: 'n'.repeat(256), description: '😀'.repeat(10_001) };
    const answer = await create({ domain: 'long.com', ...long });
    expect([answer.status, answer.fieldsAtFault]).toEqual([400, ['description', 'industry', 'name']]);
  });

  test('names every invalid field, not only the first', async () => {
    const answer = await create({ domain: 'x', website: 'not a host', custom_fields: { tier: '2', nothing: 1 } });
    expect(answer.status).toBe(400);
    expect(answer.fieldsAtFault).toEqual(['custom_fields.nothing', 'custom_fields.tier', 'domain', 'website']);
  });

  test('refuses a custom field of another object as unknown', async () => {
    expect((await create({ domain: 'other-object.com', custom__birthday: '2020-01-01' })).fieldsAtFault).toEqual([
      'custom__birthday',
    ]);
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
