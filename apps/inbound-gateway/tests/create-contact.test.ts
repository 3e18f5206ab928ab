import { createAccount, createContact, updateAccount } from '@crm/contract';
import { afterAll, beforeAll, describe, expect, test } from '@jest/globals';
import { describeEveryOperation } from './support/describe-every-operation.js';
import { startTestGateway, type TestGateway } from './support/gateway.js';

let gateway: TestGateway;

beforeAll(async () => {
  gateway = await startTestGateway();
  await gateway.organization.defineField({ objectType: 'contact', slug: 'birthday', attributeType: 'date' });
});
afterAll(() => gateway.stop());

const create = (body: object) => gateway.client.call(createContact, { body });
const storedContacts = (email: string) =>
  gateway.rows<{ id: string; version: number; domain: string | null; job_title: string | null }>(
    `SELECT c.*, a.domain FROM contacts c
       LEFT JOIN accounts a ON a.organization_id = c.organization_id AND a.id = c.account_id
      WHERE c.organization_id = $1 AND c.email = $2`,
    [email],
  );

describe('200', () => {
  test('creates a contact for a new email', async () => {
    const answer = await create({ email: 'ada@acme.com', first_name: 'Ada', last_name: 'Lovelace' });
    expect(answer.status).toBe(200);
    expect(answer.headers.get('x-record-status')).toBe('created');
    const names = { first_name: 'Ada', last_name: 'Lovelace' };
    expect(answer.data).toEqual({ people_id: expect.any(String), email: 'ada@acme.com', ...names });
    expect(await storedContacts('ada@acme.com')).toMatchObject([{ id: answer.data.people_id, ...names }]);
  });

  test('answers null for names that were not sent', async () => {
    expect((await create({ email: 'nameless@acme.com' })).data).toMatchObject({ first_name: null, last_name: null });
    const blank = await create({ email: 'blank@acme.com', first_name: null, last_name: ' ' });
    expect(blank.data).toMatchObject({ first_name: null, last_name: null });
  });

  test('creates the account of the domain', async () => {
    await create({ email: 'bob@new-company.com' });
    expect(await storedContacts('bob@new-company.com')).toMatchObject([{ domain: 'new-company.com' }]);
    const account = await gateway.client.call(createAccount, { body: { domain: 'new-company.com' } });
    expect(account.headers.get('x-record-status')).toBe('matched');
    expect(account.data.name).toBe('New-company');
  });

  test('uses the account that exists', async () => {
    const account = await gateway.client.call(createAccount, { body: { domain: 'there.com', name: 'There & Co' } });
    await create({ email: 'eve@there.com' });
    const after = await gateway.client.call(createAccount, { body: { domain: 'there.com' } });
    expect(after.data).toEqual(account.data);
  });

  test('takes the account of the host without www; another subdomain is another account', async () => {
    const hosts = { 'mail.hosts.com': 'mail.hosts.com', 'www.hosts.com': 'hosts.com', 'hosts.com': 'hosts.com' };
    for (const [host, domain] of Object.entries(hosts)) {
      await create({ email: `ann@${host}` });
      expect(await storedContacts(`ann@${host}`)).toMatchObject([{ domain }]);
    }
  });

  test('finds the account of a contact at a www host by the domain that the account shows', async () => {
    await create({ email: 'ann@www.shown.com' });
    const [contact] = await storedContacts('ann@www.shown.com');
    const account = await gateway.client.call(createAccount, { body: { domain: contact?.domain ?? '' } });
    expect(account.headers.get('x-record-status')).toBe('matched');
    const { company_id: id, domain } = account.data;
    const written = await gateway.client.call(updateAccount, { params: { id }, body: { domain } });
    expect(written.data.account.domain).toBe(domain);
  });

  test.each(['Zoë.Lee@MÜLLER.de'.replace('ë', 'e'), ' zoe.lee@mu\u0308ller.de. ', 'ZOE.LEE@XN--MLLER-KVA.DE'])(
    'normalizes %j to zoe.lee@xn--mller-kva.de',
    async (email) => {
      const plain = await create({ email: 'zoe.lee@xn--mller-kva.de' });
      expect((await create({ email })).data).toEqual(plain.data);
    },
  );

  test('treats plus-tags and dots as different addresses', async () => {
    const ids = [];
    for (const email of ['ann@plus.com', 'ann+crm@plus.com', 'a.nn@plus.com']) {
      ids.push((await create({ email })).data.people_id);
    }
    expect(new Set(ids).size).toBe(3);
  });

  test('stores all other fields and custom values', async () => {
    const more = { job_title: 'Head of Steel', phone: '+1 (415) 555-0123', custom_fields: { birthday: '1990-02-28' } };
    expect((await create({ email: 'more@acme.com', ...more })).body.warnings).toBeUndefined();
    expect(await storedContacts('more@acme.com')).toMatchObject([
      { job_title: 'Head of Steel', phone: '+14155550123', custom_fields: { birthday: '1990-02-28' } },
    ]);
  });
});

describe('200 for an email that exists', () => {
  test('answers the existing contact and changes nothing', async () => {
    const body = { email: 'again@acme.com', first_name: 'Ann', last_name: 'Lee' };
    const first = await create(body);
    for (const repeat of [body, { email: body.email }, { ...body, email: 'AGAIN@acme.com.' }]) {
      const answer = await create(repeat);
      expect(answer.data).toEqual(first.data);
      expect(answer.headers.get('x-record-status')).toBe('matched');
      expect(answer.body.warnings).toBeUndefined();
    }
    expect(await storedContacts(body.email)).toMatchObject([{ version: 1 }]);
  });

  test('fills in a missing name', async () => {
    const { data } = await create({ email: 'fill@acme.com', last_name: 'Lee' });
    const filled = await create({ email: 'fill@acme.com', first_name: 'Ann' });
    expect(filled.headers.get('x-record-status')).toBe('updated');
    expect(filled.data).toEqual({ ...data, first_name: 'Ann' });
    expect(filled.body.warnings).toBeUndefined();
    expect(await storedContacts('fill@acme.com')).toMatchObject([{ version: 2, normalized_name: 'ann lee' }]);
  });

  test('keeps the stored name and warns about a different one', async () => {
    const { data } = await create({ email: 'keep@acme.com', first_name: 'Ann' });
    const answer = await create({ email: 'keep@acme.com', first_name: 'Anna', last_name: 'Lee' });
    expect(answer.headers.get('x-record-status')).toBe('updated');
    expect(answer.data).toEqual({ ...data, last_name: 'Lee' });
    expect(answer.fieldsWarnedOf).toEqual(['first_name']);
  });

  test('keeps the other stored fields and warns about different values', async () => {
    await create({ email: 'warn@acme.com', job_title: 'Buyer', phone: '+14155550123', custom__birthday: '1990-01-01' });
    const answer = await create({
      email: 'warn@acme.com',
      job_title: 'Seller',
      phone: '+1 415 555 0123',
      custom__birthday: '1991-01-01',
    });
    expect(answer.headers.get('x-record-status')).toBe('matched');
    expect([...answer.fieldsWarnedOf].sort()).toEqual(['custom__birthday', 'job_title']);
    expect(await storedContacts('warn@acme.com')).toMatchObject([{ job_title: 'Buyer' }]);
  });
});

describe('200 for free mail', () => {
  test('creates the provider’s account by default and marks it as a mail provider', async () => {
    await create({ email: 'ann@gmail.com' });
    expect(await storedContacts('ann@gmail.com')).toMatchObject([{ domain: 'gmail.com' }]);
    const marks = await gateway.rows(
      `SELECT is_freemail FROM accounts WHERE organization_id = $1 AND domain = 'gmail.com'`,
    );
    expect(marks).toEqual([{ is_freemail: true }]);
  });

  test('creates no account for mail providers if the organization skips them, but creates all others', async () => {
    const skipping = await gateway.createOrganization({ freemail: 'skip' });
    const client = gateway.clientOf(skipping);
    for (const email of ['ann@gmail.com', 'ann@company.com', 'ann@mail.gmail.com']) {
      expect((await client.call(createContact, { body: { email } })).status).toBe(200);
    }
    const accounts = await gateway.database.query(skipping.id, {
      text: 'SELECT domain FROM accounts WHERE organization_id = $1 ORDER BY domain',
      values: [],
    });
    expect(accounts).toEqual([{ domain: 'company.com' }, { domain: 'mail.gmail.com' }]);
  });
});

describe('400', () => {
  test.each([
    ['no email', {}],
    ['null', { email: null }],
    ['a list', { email: ['ann@acme.com'] }],
    ['an empty text', { email: '' }],
    ['no @', { email: 'ann.acme.com' }],
    ['a display name', { email: 'Ann Lee <ann@acme.com>' }],
    ['two addresses', { email: 'ann@acme.com,bob@acme.com' }],
    ['a host without a dot', { email: 'ann@localhost' }],
    ['a local part of 65', { email: `${'l'.repeat(65)}@acme.com` }],
    ['a control character', { email: 'ann\u0007@acme.com' }],
    ['U+0000', { email: 'ann\u0000@acme.com' }],
  ])('refuses %s as the email', async (_about, body) => {
    const answer = await create(body);
    expect(answer.status).toBe(400);
    expect(answer.fieldsAtFault).toEqual(['email']);
  });

  test('names every invalid field, not only the first', async () => {
    const answer = await create({ email: 'x', phone: '+123', custom_fields: { birthday: '30 Feb', nothing: 1 } });
    expect(answer.fieldsAtFault).toEqual(['custom_fields.birthday', 'custom_fields.nothing', 'email', 'phone']);
  });

  test.each(['first_name', 'last_name', 'job_title', 'phone'])('refuses a %s of 256 characters', async (name) => {
    expect((await create({ email: 'long@acme.com', [name]: 'n'.repeat(256) })).fieldsAtFault).toEqual([name]);
  });

  test.each(['"\\u0000"', '"\\ud83d"', '"\\ude00\\ud83d"'])('refuses the name %s and stores nothing', async (name) => {
    const answer = await gateway.client.call(createContact, {
      rawBody: `{"email":"no@no.com","first_name":${name}}`,
    });
    expect(answer.status).toBe(400);
    expect(answer.fieldsAtFault).toEqual(['first_name']);
    expect(await storedContacts('no@no.com')).toEqual([]);
  });
});

describe('two organizations', () => {
  test('each have their own contact for the same email, with its own account', async () => {
    const ours = await create({ email: 'ann@shared.com', first_name: 'Ours' });
    const theirs = await gateway
      .clientOf(gateway.stranger)
      .call(createContact, { body: { email: 'ann@shared.com', last_name: 'Theirs' } });
    expect(theirs.headers.get('x-record-status')).toBe('created');
    expect(theirs.data).toMatchObject({ first_name: null, last_name: 'Theirs' });
    expect(theirs.data.people_id).not.toBe(ours.data.people_id);
    expect((await create({ email: 'ann@shared.com' })).data).toEqual(ours.data);
    const accounts = await gateway.database.pool.query(`SELECT id FROM accounts WHERE domain = 'shared.com'`);
    expect(accounts.rowCount).toBe(2);
  });
});

describeEveryOperation(
  createContact,
  () => gateway,
  () => ({ email: 'ann@every-operation.com' }),
);
