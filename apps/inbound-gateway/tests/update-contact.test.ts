import { createContact, deleteContact, updateContact } from '@crm/contract';
import { afterAll, beforeAll, describe, expect, test } from '@jest/globals';
import { expectConsistent } from './support/expect-consistent.js';
import { startTestGateway, type TestGateway } from './support/gateway.js';
import { recordsOf, unknownId, versionOf } from './support/records-of.js';

let gateway: TestGateway;
const { contact, opportunity, changeContact: change } = recordsOf(() => gateway);

beforeAll(async () => {
  gateway = await startTestGateway();
  await gateway.organization.defineField({ objectType: 'contact', slug: 'birthday', attributeType: 'date' });
});
afterAll(async () => {
  await expectConsistent(gateway);
  await gateway.stop();
});

const domainOf = async (contactId: string) =>
  (
    await gateway.rows<{ domain: string | null }>(
      `SELECT a.domain FROM contacts c LEFT JOIN accounts a ON a.organization_id = $1 AND a.id = c.account_id
        WHERE c.organization_id = $1 AND c.id = $2`,
      [contactId],
    )
  )[0]?.domain;
const recordOf = async (opportunityId: string) => {
  const text = 'SELECT record FROM opportunities WHERE organization_id = $1 AND id = $2';
  const [row] = await gateway.rows<{ record: string }>(text, [opportunityId]);
  return JSON.parse(row?.record ?? '{}') as Record<string, unknown>;
};

describe('200', () => {
  test('answers the whole contact, keeps absent fields and clears fields that are null', async () => {
    const id = await contact({
      email: 'ann@whole.com',
      first_name: 'Ann',
      last_name: 'Lee',
      custom__birthday: '1990-01-02',
    });
    const answer = await change(id, { last_name: null, job_title: 'CEO', phone: '+41 44 668 18 00' });
    expect(answer.data.contact).toEqual({
      id,
      external_id: null,
      name: 'Ann',
      first_name: 'Ann',
      last_name: null,
      email: 'ann@whole.com',
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

  test('changes nothing for equal values', async () => {
    const id = await contact({ email: 'same@same.com', first_name: 'Ann', custom__birthday: '1990-01-02' });
    const bodies = [{}, { email: ' SAME@same.com', first_name: ' Ann ' }, { custom__birthday: 631238400000 }];
    for (const body of bodies) expect(versionOf(await change(id, body))).toBe(1);
  });

  test('moves the contact to the account of its new email and creates that account if it is missing', async () => {
    const id = await contact({ email: 'mover@from.com' });
    const answer = await change(id, { email: 'Mover@To.com' });
    expect(answer.data.contact.email).toBe('mover@to.com');
    expect(await domainOf(id)).toBe('to.com');
    expect(await contact({ email: 'mover@to.com' })).toBe(id);
    expect(await contact({ email: 'mover@from.com' })).not.toBe(id);
  });

  test('clears the account for a new address at a mail provider if the organization skips those', async () => {
    const skipping = await gateway.createOrganization({ freemail: 'skip' });
    const client = gateway.clientOf(skipping);
    const created = await client.call(createContact, { body: { email: 'ann@work.com' } });
    const params = { id: created.data.people_id };
    const moved = await client.call(updateContact, { params, body: { email: 'ann@gmail.com' } });
    expect(moved.data.contact.account_id).toBeNull();
  });

  test('updates the deals of an additional contact when its name or email changes', async () => {
    const id = await contact({ email: 'extra@reach.com', first_name: 'Old' });
    const deal = await opportunity(
      { name: 'Reach' },
      { account_domain: 'reach.com', additional_contact_emails: ['extra@reach.com'] },
    );
    await change(id, { first_name: 'New', email: 'extra@elsewhere.com' });
    expect((await recordOf(deal))['additional_contacts']).toEqual([
      { contact_id: id, contact_first_name: 'New', contact_last_name: null, contact_email: 'extra@elsewhere.com' },
    ]);
  });

  test('keeps a deal without an account with its primary contact, whatever the email', async () => {
    const id = await contact({ email: 'ann@gmail.com' });
    const deal = await opportunity({ name: 'Website' }, { primary_contact_email: 'ann@gmail.com' });
    await change(id, { email: 'ann@yahoo.com' });
    expect(await opportunity({ name: 'Website' }, { primary_contact_email: 'ann@yahoo.com' })).toBe(deal);
    expect(await opportunity({ name: 'Website' }, { primary_contact_email: 'ann@gmail.com' })).not.toBe(deal);
  });
});

describe('opportunities of the same name of two people at one mail provider', () => {
  test('stay apart when one person is deleted and the other takes over the email', async () => {
    const name = 'Same name';
    const deal = (email: string) => opportunity({ name }, { primary_contact_email: email });
    const [a, b] = ['person-a@gmail.com', 'person-b@gmail.com'];
    const [ofA, ofB] = [await deal(a), await deal(b)];
    expect(ofA).not.toBe(ofB);
    const personA = await contact({ email: a });
    const personB = await contact({ email: b });
    expect((await gateway.client.call(deleteContact, { params: { id: personB } })).status).toBe(200);
    expect((await change(personA, { email: b })).status).toBe(200);

    // The opportunity keeps its person at the new email. The deleted person's opportunity belongs to no contact.
    expect(await deal(b)).toBe(ofA);
    const ofNewA = await deal(a);
    expect([ofA, ofB]).not.toContain(ofNewA);
    expect(await contact({ email: a })).not.toBe(personA);
  });
});

describe('400, 404, 409 and 412', () => {
  test('names every invalid field, and refuses another version than that in If-Match', async () => {
    const stale = await contact({ email: 'version@version.com' });
    expect((await change(stale, { first_name: 'Ann' }, { 'if-match': '"2"' })).status).toBe(412);
    const id = await contact({ email: 'faults@faults.com' });
    const answer = await change(id, { email: 'x', custom_fields: { birthday: 'May' } });
    expect(answer.fieldsAtFault).toEqual(['custom_fields.birthday', 'email']);
  });

  test('answers 404 for an unknown id and creates no account', async () => {
    expect((await change(unknownId, { email: 'no@trace.com' })).status).toBe(404);
    expect(await gateway.rows(`SELECT 1 FROM accounts WHERE organization_id = $1 AND domain = 'trace.com'`)).toEqual(
      [],
    );
  });

  test('refuses the email of another contact, names that contact and creates no account', async () => {
    const holder = await contact({ email: 'held@held.com' });
    const id = await contact({ email: 'wants@wants.com' });
    const answer = await change(id, { email: 'Held@held.com' });
    expect(answer.status).toBe(409);
    expect(answer.body).toMatchObject({ conflict: { field: 'email', existing_id: holder } });
    expect(await domainOf(id)).toBe('wants.com');
  });
});
