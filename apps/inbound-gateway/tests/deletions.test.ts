import {
  createNote,
  deleteAccount,
  deleteContact,
  deleteNote,
  deleteOpportunity,
  type OperationContract,
} from '@crm/contract';
import { reportFigure, testSize } from '@crm/testing';
import { afterAll, beforeAll, describe, expect, test } from '@jest/globals';
import { expectConsistent } from './support/expect-consistent.js';
import { startTestGateway, type TestGateway } from './support/gateway.js';
import { recordsOf } from './support/records-of.js';

let gateway: TestGateway;
const { account, contact, opportunity } = recordsOf(() => gateway);
const call = (contract: OperationContract, id: string) => gateway.client.call(contract, { params: { id } });
const note = async (): Promise<string> => {
  const body = { note: { title: 'T' }, account_domains: ['noted.com'], contact_emails: ['ann@noted.com'] };
  return (await gateway.client.call(createNote, { body })).data.note_id;
};
const countOf = async (table: string, column: string, value: string): Promise<number | undefined> => {
  const text = `SELECT count(*)::int AS n FROM ${table} WHERE organization_id = $1 AND ${column} = $2`;
  return (await gateway.rows<{ n: number }>(text, [value]))[0]?.n;
};

/** Rows per statement, so that each ends within its time limit. */
const filledAtOnce = 2_500;

/** Creates `count` opportunities of a contact: the primary contact of half of them, an additional one of the others. */
const fillDeals = async (contactId: string, count: number): Promise<void> => {
  const { pipeline } = gateway.organization;
  const fill = `WITH added AS (
      INSERT INTO opportunities (organization_id, id, pipeline_id, account_key, name, normalized_name, contact_id, contact_email, record,
        search_text, created_at, updated_at)
      SELECT $1, gen_random_uuid(), $2::uuid, '', 'Many ' || n, 'many ' || n, CASE n % 2 WHEN 0 THEN $3::uuid END,
             CASE n % 2 WHEN 0 THEN 'busy@many-deals.com' END, '', 'many ' || n, now(), now() FROM generate_series($4::int, $5::int) n
      RETURNING organization_id, id, contact_id)
    INSERT INTO opportunity_contacts (organization_id, opportunity_id, contact_id, position)
    SELECT organization_id, id, $3::uuid, 1 FROM added WHERE contact_id IS NULL`;
  for (let first = 1; first <= count; first += filledAtOnce)
    await gateway.rows(fill, [pipeline.id, contactId, first, Math.min(count, first + filledAtOnce - 1)]);
};

beforeAll(async () => {
  gateway = await startTestGateway();
});
afterAll(async () => {
  await expectConsistent(gateway);
  await gateway.stop();
});

describe('every deletion', () => {
  const all: readonly (readonly [string, OperationContract, string, () => Promise<string>])[] = [
    ['an account', deleteAccount, 'accounts', () => account({ domain: `gone-${Math.random()}.com` })],
    ['a contact', deleteContact, 'contacts', () => contact({ email: `gone-${Math.random()}@gone.com` })],
    ['an opportunity', deleteOpportunity, 'opportunities', () => opportunity({ name: `Gone ${Math.random()}` })],
    ['a note', deleteNote, 'notes', note],
  ];

  test.each(all)('of %s removes it and answers its id', async (_about, contract, table, create) => {
    const id = await create();
    const answer = await call(contract, id.toUpperCase());
    expect(answer.status).toBe(200);
    expect(answer.data).toEqual({ id });
    expect(await countOf(table, 'id', id)).toBe(0);
    expect((await call(contract, id)).status).toBe(404);
  });

  test.each(all)(
    'of %s answers 412 for another version in If-Match and deletes nothing',
    async (_about, contract, table, create) => {
      const id = await create();
      const conditional = (tag: string) =>
        gateway.client.call(contract, { params: { id }, headers: { 'if-match': tag } });
      expect((await conditional('"7"')).status).toBe(412);
      expect((await conditional('seven')).fieldsAtFault).toEqual(['If-Match']);
      expect(await countOf(table, 'id', id)).toBe(1);
      expect((await conditional('"1"')).status).toBe(200);
      expect(await countOf(table, 'id', id)).toBe(0);
    },
  );
});

describe('the deletion of an account', () => {
  test('is refused with the counts if the account has contacts or deals', async () => {
    const id = await account({ domain: 'used.com' });
    await contact({ email: 'a@used.com' });
    await contact({ email: 'b@used.com' });
    await opportunity({ name: 'Used' }, { account_domain: 'used.com' });
    const answer = await call(deleteAccount, id);
    expect(answer.status).toBe(409);
    expect(answer.body).toMatchObject({ counts: { contacts: 2, opportunities: 1 } });
    expect(await countOf('accounts', 'id', id)).toBe(1);
  });
});

describe('the deletion of an opportunity', () => {
  test('keeps its notes, however many, and logs an event for each', async () => {
    const id = await opportunity({ name: 'Noted' });
    const related_objects = { opportunity_ids: [id] };
    const body = { note: { title: 'Stays' }, account_domains: ['noted-deal.com'], related_objects };
    const { data } = await gateway.client.call(createNote, { body });
    await gateway.rows(
      `WITH added AS (INSERT INTO notes (organization_id, id, title, search_text, created_at, updated_at)
          SELECT $1, gen_random_uuid(), 'Many', 'many', now(), now() FROM generate_series(1, 1500) RETURNING organization_id, id)
       INSERT INTO note_opportunities (organization_id, note_id, opportunity_id) SELECT organization_id, id, $2 FROM added`,
      [id],
    );
    expect((await call(deleteOpportunity, id)).status).toBe(200);
    expect(await countOf('opportunities', 'id', id)).toBe(0);
    expect(await countOf('notes', 'id', data.note_id)).toBe(1);
    expect(await countOf('note_opportunities', 'opportunity_id', id)).toBe(0);
    const events = await gateway.rows(
      `SELECT changed, previous FROM events WHERE organization_id = $1 AND record_id = $2 AND type = 'note.updated'`,
      [data.note_id],
    );
    expect(events).toEqual([{ changed: ['opportunity_ids'], previous: { opportunity_ids: [id] } }]);
    await gateway.rows(`DELETE FROM notes WHERE organization_id = $1 AND title = 'Many'`);
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
    const body = { note: { title: 'T' }, contact_emails: ['leaves@deals.com'] };
    const noted = await gateway.client.call(createNote, { body });

    expect((await call(deleteContact, id)).status).toBe(200);
    const text = 'SELECT contact_id, version, record FROM opportunities WHERE organization_id = $1 AND id = $2';
    expect(await gateway.rows(text, [primary])).toMatchObject([{ contact_id: null, version: 2 }]);
    const [row] = await gateway.rows<{ record: string }>(text, [additional]);
    expect(row).toMatchObject({ version: 2 });
    expect(JSON.parse(row?.record ?? '')).toMatchObject({
      additional_contacts: [{ contact_email: 'stays@deals.com' }],
    });
    expect(row?.record).not.toContain('leaves@deals.com');
    expect(await countOf('notes', 'id', noted.data.note_id)).toBe(1);
    expect(await countOf('note_contacts', 'contact_id', id)).toBe(0);
  });

  test('does not pass its deals on to a new contact with the same email', async () => {
    const id = await contact({ email: 'ann@gmail.com' });
    const deal = await opportunity({ name: 'Orphan' }, { primary_contact_email: 'ann@gmail.com' });
    await call(deleteContact, id);
    expect(await opportunity({ name: 'Orphan' }, { primary_contact_email: 'ann@gmail.com' })).not.toBe(deal);
  });

  test('keeps all of its deals, even more than one transaction can update', async () => {
    const deals = Number(process.env['DEALS'] ?? testSize({ short: 2_500, soak: 100_000 }));
    const id = await contact({ email: 'busy@many-deals.com' });
    await fillDeals(id, deals);
    const startedAtMs = performance.now();
    expect((await call(deleteContact, id)).status).toBe(200);
    const elapsedMs = Math.round(performance.now() - startedAtMs);
    reportFigure('R27', `ms to delete a contact of ${deals} opportunities`, elapsedMs, 'no limit');
    expect(await countOf('opportunities', 'contact_id', id)).toBe(0);
    expect(await countOf('opportunity_contacts', 'contact_id', id)).toBe(0);
    expect(await countOf('opportunities', `name LIKE 'Many %' AND version`, '2')).toBe(deals);
    expect(await countOf('contacts', 'id', id)).toBe(0);
  }, 900_000);
});
