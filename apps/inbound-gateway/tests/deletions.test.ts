import { deleteAccount, deleteContact, deleteNote, deleteOpportunity, type OperationContract } from '@crm/contract';
import { describe, expect, test } from '@jest/globals';
import { recordsOf } from './support/records-of.js';
import { useGateway } from './support/use-gateway.js';

const gateway = useGateway();
const { account, contact, opportunity, note, row, countOf } = recordsOf(gateway);
const call = (contract: OperationContract, id: string, headers: Readonly<Record<string, string>> = {}) =>
  gateway().client.call(contract, { params: { id }, headers });

describe('every deletion', () => {
  const noted = { account_domains: ['noted.com'], contact_emails: ['ann@noted.com'] };
  test.each<[string, OperationContract, string, () => Promise<string>]>([
    ['an account', deleteAccount, 'accounts', () => account({ domain: 'gone.com' })],
    ['a contact', deleteContact, 'contacts', () => contact({ email: 'gone@gone.com' })],
    ['an opportunity', deleteOpportunity, 'opportunities', () => opportunity({ name: 'Gone' })],
    ['a note', deleteNote, 'notes', () => note({ title: 'T' }, noted)],
  ])(
    'of %s removes the version that If-Match names, and answers its id and the position of its event',
    async (_about, contract, table, make) => {
      const id = await make();
      expect((await call(contract, id, { 'if-match': '"7"' })).status).toBe(412);
      expect((await call(contract, id, { 'if-match': 'seven' })).fieldsAtFault).toEqual(['If-Match']);
      expect(await row(table, id)).toBeDefined();
      const { data } = await call(contract, id.toUpperCase(), { 'if-match': '"1"' });
      const ofDeletion = `SELECT record_id AS id, position::int FROM events WHERE organization_id = $1 AND type LIKE '%.deleted' AND record_id = $2`;
      expect([data]).toEqual(await gateway().rows(ofDeletion, [id]));
      expect(await row(table, id)).toBeUndefined();
      expect((await call(contract, id)).status).toBe(404);
    },
  );
});

describe('the deletion of an account', () => {
  test('is refused with the counts if the account has contacts or deals', async () => {
    const id = await account({ domain: 'used.com' });
    await contact({ email: 'a@used.com' });
    await contact({ email: 'b@used.com' });
    await opportunity({ name: 'Used' }, { account_domain: 'used.com' });
    const dealsOnly = await account({ domain: 'deals-only.com' });
    await opportunity({ name: 'Alone' }, { account_domain: 'deals-only.com' });
    for (const [used, counts] of [
      [id, { contacts: 2, opportunities: 1 }],
      [dealsOnly, { contacts: 0, opportunities: 1 }],
    ] as const) {
      const answer = await call(deleteAccount, used);
      expect([answer.status, answer.body]).toMatchObject([409, { counts }]);
      expect(await row('accounts', used)).toBeDefined();
    }
  });
});

describe('the deletion of an opportunity', () => {
  test('keeps its notes, however many, and logs an event for each', async () => {
    const id = await opportunity({ name: 'Noted' });
    const related_objects = { opportunity_ids: [id] };
    const noteId = await note({ title: 'Stays' }, { account_domains: ['noted-deal.com'], related_objects });
    await gateway().rows(
      `WITH added AS (INSERT INTO notes (organization_id, id, title, search_text, created_at, updated_at)
          SELECT $1, gen_random_uuid(), 'Many', 'many', now(), now() FROM generate_series(1, 1500) RETURNING organization_id, id)
       INSERT INTO note_opportunities (organization_id, note_id, opportunity_id) SELECT organization_id, id, $2 FROM added`,
      [id],
    );
    expect((await call(deleteOpportunity, id)).status).toBe(200);
    expect([await row('opportunities', id), await row('notes', noteId)]).toEqual([undefined, expect.anything()]);
    expect(await countOf('note_opportunities WHERE opportunity_id = $2', id)).toBe(0);
    const events = await gateway().rows(
      `SELECT changed, previous FROM events WHERE organization_id = $1 AND record_id = $2 AND type = 'note.updated'`,
      [noteId],
    );
    expect(events).toEqual([{ changed: ['opportunity_ids'], previous: { opportunity_ids: [id] } }]);
    await gateway().rows(`DELETE FROM notes WHERE organization_id = $1 AND title = 'Many'`);
  });
});

describe('the deletion of a contact', () => {
  test('keeps its deals, which no longer show it, and its notes', async () => {
    const id = await contact({ email: 'leaves@deals.com', first_name: 'Lea' });
    const related = { account_domain: 'deals.com', primary_contact_email: 'leaves@deals.com' };
    const primary = await opportunity({ name: 'Primary' }, related);
    const emails = ['stays@deals.com', 'leaves@deals.com'];
    const additional = await opportunity(
      { name: 'Additional' },
      { account_domain: 'deals.com', additional_contact_emails: emails },
    );
    const noteId = await note({ title: 'T' }, { contact_emails: ['leaves@deals.com'] });
    expect((await call(deleteContact, id)).status).toBe(200);
    expect(await row('opportunities', primary)).toMatchObject({ contact_id: null, version: 2 });
    const stored = await row('opportunities', additional);
    expect(stored).toMatchObject({ version: 2, record: expect.not.stringContaining('leaves@deals.com') });
    const additional_contacts = [{ contact_email: 'stays@deals.com' }];
    expect(JSON.parse(String(stored?.['record']))).toMatchObject({ additional_contacts });
    expect(await row('notes', noteId)).toBeDefined();
    expect(await countOf('note_contacts WHERE contact_id = $2', id)).toBe(0);
  });

  test('does not pass its deals on to a new contact with the same email', async () => {
    const id = await contact({ email: 'ann@gmail.com' });
    const deal = await opportunity({ name: 'Orphan' }, { primary_contact_email: 'ann@gmail.com' });
    await call(deleteContact, id);
    expect(await opportunity({ name: 'Orphan' }, { primary_contact_email: 'ann@gmail.com' })).not.toBe(deal);
  });
});
