import { createContact } from '@crm/contract';
import { afterAll, beforeAll, describe, expect, test } from '@jest/globals';
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

  test('takes the account of the host without www; another subdomain is another account', async () => {
    const hosts = { 'mail.hosts.com': 'mail.hosts.com', 'www.hosts.com': 'hosts.com', 'hosts.com': 'hosts.com' };
    for (const [host, domain] of Object.entries(hosts)) {
      await create({ email: `ann@${host}` });
      expect(await storedContacts(`ann@${host}`)).toMatchObject([{ domain }]);
    }
  });

  test('normalizes the email', async () => {
    const plain = await create({ email: 'zoe.lee@xn--mller-kva.de' });
    for (const email of [' zoe.lee@mu\u0308ller.de. ', 'ZOE.LEE@XN--MLLER-KVA.DE'])
      expect((await create({ email })).data).toEqual(plain.data);
    expect((await create({ email: 'zoe.lee+crm@xn--mller-kva.de' })).data.people_id).not.toBe(plain.data.people_id);
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
  test.each([{}, { email: ['ann@acme.com'] }, { email: 'Ann Lee <ann@acme.com>' }, { email: 'ann\u0000@acme.com' }])(
    'refuses the email of %j',
    async (body) => {
      const answer = await create(body);
      expect([answer.status, answer.fieldsAtFault]).toEqual([400, ['email']]);
    },
  );

  test('names every invalid field, not only the first', async () => {
    const answer = await create({ email: 'x', phone: '+123', custom_fields: { birthday: '30 Feb', nothing: 1 } });
    expect(answer.fieldsAtFault).toEqual(['custom_fields.birthday', 'custom_fields.nothing', 'email', 'phone']);
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
  });
});
