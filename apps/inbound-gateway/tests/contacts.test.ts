import { createContact, updateContact } from '@crm/contract';
import { describe, expect, test } from '@jest/globals';
import { recordsOf, statusOf, unknownId, versionOf } from './support/records-of.js';
import { useGateway } from './support/use-gateway.js';

const gateway = useGateway(({ organization }) =>
  organization.defineField({ objectType: 'contact', slug: 'birthday', attributeType: 'date' }),
);
const { contact, opportunity, changeContact: change, row, countOf, ...records } = recordsOf(gateway);
const create = (body: object, query?: Readonly<Record<string, string>>) => records.create(createContact, body, query);

const domainOf = async (email: string) => {
  const text = `SELECT a.domain FROM contacts c LEFT JOIN accounts a ON a.organization_id = $1 AND a.id = c.account_id
    WHERE c.organization_id = $1 AND c.email = $2`;
  return (await gateway().rows<{ domain: string | null }>(text, [email]))[0]?.domain;
};

describe('a create', () => {
  test('200: stores a contact with all its fields', async () => {
    const names = { first_name: 'Ada', last_name: 'Lovelace' };
    const more = { job_title: 'Head of Steel', custom_fields: { birthday: '1990-02-28' } };
    const answer = await create({ email: 'ada@acme.com', ...names, ...more, phone: '+1 (415) 555-0123' });
    expect([answer.status, statusOf(answer), answer.body.warnings]).toEqual([200, 'created', undefined]);
    const { people_id: id, account_id } = answer.data;
    expect(answer.data).toEqual({ people_id: id, contact_id: id, account_id, email: 'ada@acme.com', ...names });
    expect(account_id).toEqual(expect.any(String));
    const stored = { ...names, ...more, phone: '+14155550123' };
    expect(await row('contacts', answer.data.people_id)).toMatchObject(stored);
  });

  test('200: finds the contact by any spelling of its email and changes nothing', async () => {
    const plain = await create({ email: 'zoe.lee@xn--mller-kva.de', first_name: 'Zoe' });
    for (const email of [' zoe.lee@mu\u0308ller.de. ', 'ZOE.LEE@XN--MLLER-KVA.DE']) {
      const again = await create({ email, first_name: 'Zoe' });
      expect([again.data, statusOf(again), again.body.warnings]).toEqual([plain.data, 'matched', undefined]);
    }
    expect(await row('contacts', plain.data.people_id)).toMatchObject({ version: 1 });
    expect(await contact({ email: 'zoe.lee+crm@xn--mller-kva.de' })).not.toBe(plain.data.people_id);
  });

  test('200: keeps the other stored fields and warns about different values', async () => {
    const body = { email: 'warn@acme.com', job_title: 'Buyer', phone: '+14155550123', custom__birthday: '1990-01-01' };
    const id = await contact(body);
    const other = { job_title: 'Seller', phone: '+1 415 555 0123', custom__birthday: '1991-01-01' };
    const answer = await create({ ...body, ...other });
    expect(statusOf(answer)).toBe('matched');
    expect([...answer.fieldsWarnedOf].sort()).toEqual(['custom__birthday', 'job_title']);
    expect(await row('contacts', id)).toMatchObject({ job_title: 'Buyer' });
  });

  test('200: creates no account for mail providers if the organization skips them, but creates all others', async () => {
    const skipping = await gateway().createOrganization({ freemail: 'skip' });
    const client = gateway().clientOf(skipping);
    for (const email of ['ann@gmail.com', 'ann@company.com', 'ann@mail.gmail.com'])
      expect((await client.call(createContact, { body: { email } })).status).toBe(200);
    const text = 'SELECT domain FROM accounts WHERE organization_id = $1 ORDER BY domain';
    const accounts = await gateway().database.query(skipping.id, { text, values: [] });
    expect(accounts).toEqual([{ domain: 'company.com' }, { domain: 'mail.gmail.com' }]);
  });
});

describe('an update', () => {
  test('200: answers the whole contact, keeps absent fields and clears fields that are null', async () => {
    const names = { first_name: 'Ann', last_name: 'Lee' };
    const id = await contact({ email: 'ann@whole.com', ...names, custom__birthday: '1990-01-02' });
    const answer = await change(id, { last_name: null, job_title: 'CEO', phone: '+41 44 668 18 00' });
    expect(answer.data.contact).toEqual({
      id,
      external_id: null,
      name: 'Ann',
      first_name: 'Ann',
      last_name: null,
      email: 'ann@whole.com',
      account_domain: 'whole.com',
      account_external_id: null,
      additional_emails: [],
      account_id: expect.any(String),
      custom_fields: { birthday: '1990-01-02' },
      job_title: 'CEO',
      phone: '+41446681800',
      created_at: expect.any(String),
      updated_at: expect.any(String),
      version: 2,
    });
    expect(Object.keys(answer.data.custom_field_definitions)).toEqual(['birthday']);
    expect(versionOf(answer)).toBe(2);
  });

  test('200: clears the account for a new address at a mail provider if the organization skips those', async () => {
    const client = gateway().clientOf(await gateway().createOrganization({ freemail: 'skip' }));
    const created = await client.call(createContact, { body: { email: 'ann@work.com' } });
    const params = { id: created.data.people_id };
    const moved = await client.call(updateContact, { params, body: { email: 'ann@gmail.com' } });
    expect(moved.data.contact.account_id).toBeNull();
  });

  test('200: updates the deals of an additional contact when its name or email changes', async () => {
    const id = await contact({ email: 'extra@reach.com', first_name: 'Old' });
    const related = { account_domain: 'reach.com', additional_contact_emails: ['extra@reach.com'] };
    const deal = await row('opportunities', await opportunity({ name: 'Reach' }, related));
    await change(id, { first_name: 'New', email: 'extra@elsewhere.com' });
    const shown = await row('opportunities', String(deal?.['id']));
    expect(JSON.parse(String(shown?.['record']))).toMatchObject({
      additional_contacts: [
        { contact_id: id, contact_first_name: 'New', contact_last_name: null, contact_email: 'extra@elsewhere.com' },
      ],
    });
  });

  test('404: creates no account for an unknown id', async () => {
    expect((await change(unknownId, { email: 'no@trace.com' })).status).toBe(404);
    expect(await countOf(`accounts WHERE domain = 'trace.com'`)).toBe(0);
  });

  test('409: refuses the email of another contact and names that contact', async () => {
    const holder = await contact({ email: 'held@held.com' });
    const answer = await change(await contact({ email: 'wants@wants.com' }), { email: 'Held@held.com' });
    expect([answer.status, answer.body.conflict]).toEqual([409, { field: 'email', existing_id: holder }]);
    expect(await domainOf('wants@wants.com')).toBe('wants.com');
  });
});
