import { createContact, createNote, createOpportunity, deleteOpportunity } from '@crm/contract';
import { afterAll, beforeAll, describe, expect, test } from '@jest/globals';
import { startTestGateway, type TestGateway } from './support/gateway.js';

let gateway: TestGateway;

beforeAll(async () => {
  gateway = await startTestGateway();
});
afterAll(() => gateway.stop());

const create = (body: object) => gateway.client.call(createNote, { body });
const note = { title: 'Kick-off', content: 'Budget is approved.' };

/** The natural keys of the records that a note is attached to. */
const targetsOf = async (noteId: string, organizationId = gateway.organization.id) => {
  const statement = {
    text: `SELECT
        ARRAY(SELECT a.domain FROM note_accounts l JOIN accounts a USING (organization_id)
               WHERE l.organization_id = $1 AND l.note_id = $2 AND a.id = l.account_id ORDER BY 1) AS domains,
        ARRAY(SELECT c.email FROM note_contacts l JOIN contacts c USING (organization_id)
               WHERE l.organization_id = $1 AND l.note_id = $2 AND c.id = l.contact_id ORDER BY 1) AS emails`,
    values: [noteId],
  };
  return (await gateway.database.query(organizationId, statement))[0];
};

const addOpportunity = async (name: string, organization = gateway.organization): Promise<string> => {
  const body = { pipeline_id: organization.pipeline.id, opportunity: { name } };
  return (await gateway.clientOf(organization).call(createOpportunity, { body })).data.opportunity_id;
};
const opportunitiesOf = async (noteId: string) =>
  (
    await gateway.rows<{ opportunity_id: string }>(
      'SELECT opportunity_id FROM note_opportunities WHERE organization_id = $1 AND note_id = $2 ORDER BY 1',
      [noteId],
    )
  ).map((row) => row.opportunity_id);
const countOf = async (table: 'notes' | 'accounts' | 'contacts') =>
  (await gateway.rows<{ n: number }>(`SELECT count(*)::int AS n FROM ${table} WHERE organization_id = $1`))[0]?.n;

describe('200', () => {
  test('answers the id, title and content of the note', async () => {
    const answer = await create({ note, account_domains: ['acme.com'] });
    expect(answer.status).toBe(200);
    expect(answer.data).toEqual({ note_id: expect.any(String), ...note });
    expect(answer.headers.get('x-record-status')).toBe('created');
  });

  test('attaches the note to every account and contact in the body and creates the missing ones', async () => {
    await gateway.client.call(createContact, { body: { email: 'ada@both.com', first_name: 'Ada' } });
    const { data } = await create({
      note,
      account_domains: ['both.com', 'https://www.made.com/about'],
      contact_emails: ['ADA@both.com', 'bob@bob-company.com'],
    });
    expect(await targetsOf(data.note_id)).toEqual({
      domains: ['both.com', 'made.com'],
      emails: ['ada@both.com', 'bob@bob-company.com'],
    });
    const [bob] = await gateway.rows(
      `SELECT a.domain FROM contacts c JOIN accounts a USING (organization_id)
        WHERE c.organization_id = $1 AND c.email = 'bob@bob-company.com' AND a.id = c.account_id`,
    );
    expect(bob).toEqual({ domain: 'bob-company.com' });
  });

  test('attaches the note to opportunities, with or without accounts and contacts, and lists them in its event', async () => {
    const ids = [await addOpportunity('One'), await addOpportunity('Two')].sort();
    const alone = await create({ note, related_objects: { opportunity_ids: ids } });
    expect(alone.status).toBe(200);
    expect(await opportunitiesOf(alone.data.note_id)).toEqual(ids);
    const [id = ''] = ids;
    const spelled = { opportunity_ids: [id, id.toUpperCase()] };
    const beside = await create({ note, contact_emails: ['ada@both.com'], related_objects: spelled });
    expect(await opportunitiesOf(beside.data.note_id)).toEqual([id]);
    expect(await targetsOf(beside.data.note_id)).toEqual({ domains: [], emails: ['ada@both.com'] });
    const [event] = await gateway.rows('SELECT record FROM events WHERE organization_id = $1 AND record_id = $2', [
      beside.data.note_id,
    ]);
    expect(event).toMatchObject({
      record: { account_ids: [], contact_ids: [expect.any(String)], opportunity_ids: [id] },
    });
  });

  test('accepts a title or a content alone, and one list of targets alone', async () => {
    const titled = await create({ note: { title: ' T ' }, account_domains: ['only.com'], contact_emails: null });
    expect(titled.data).toMatchObject({ title: 'T', content: null });
    expect(await targetsOf(titled.data.note_id)).toEqual({ domains: ['only.com'], emails: [] });
    const untitled = await create({
      note: { title: ' ', content: ' C\n' },
      account_domains: [],
      contact_emails: ['a@b.com'],
    });
    expect(untitled.data).toMatchObject({ title: null, content: ' C\n' });
    expect(await targetsOf(untitled.data.note_id)).toEqual({ domains: [], emails: ['a@b.com'] });
  });

  test('attaches the note once to a target that is spelled in several ways', async () => {
    const { data } = await create({
      note,
      account_domains: ['same.com', 'SAME.com.', 'www.same.com'],
      contact_emails: ['a@same.com', 'A@same.com'],
    });
    expect(await targetsOf(data.note_id)).toEqual({ domains: ['same.com'], emails: ['a@same.com'] });
  });

  test('creates two notes if the same note is sent twice', async () => {
    const body = { note, account_domains: ['twice.com'] };
    const [first, second] = [await create(body), await create(body)];
    expect(second.data.note_id).not.toBe(first.data.note_id);
  });

  test('stores the content as it was sent, up to 50,000 characters', async () => {
    for (const content of ['tab\t, line\r\nbreak, \u202e, 😀, e\u0301, "quotes" \\', '😀'.repeat(50_000)]) {
      const { data } = await create({ note: { content }, account_domains: ['acme.com'] });
      expect(data.content).toBe(content);
      expect(
        await gateway.rows('SELECT content FROM notes WHERE organization_id = $1 AND id = $2', [data.note_id]),
      ).toEqual([{ content }]);
    }
  });
});

describe('400', () => {
  test.each<[string, object, string[]]>([
    ['no target', { account_domains: [], contact_emails: null }, ['account_domains', 'contact_emails']],
    ['neither title nor content', { note: { title: ' ', content: null } }, ['note.content', 'note.title']],
    ['no note', { note: null }, ['note']],
    ['a title of 256 characters', { note: { title: 'n'.repeat(256) } }, ['note.title']],
    ['a content of 50,001 characters', { note: { content: 'n'.repeat(50_001) } }, ['note.content']],
    ['an unknown key of the note', { note: { ...note, colour: 'red' } }, ['note.colour']],
    [
      'bad items, each of which is named',
      { account_domains: ['a.com', 'x', 'y'], contact_emails: ['z'] },
      ['account_domains[1]', 'account_domains[2]', 'contact_emails[0]'],
    ],
    ['101 emails', { contact_emails: Array.from({ length: 101 }, (_, i) => `a${i}@b.com`) }, ['contact_emails']],
    [
      '101 opportunities',
      { related_objects: { opportunity_ids: Array<string>(101).fill('01890000-0000-7000-8000-000000000000') } },
      ['related_objects.opportunity_ids'],
    ],
  ])('refuses %s', async (_about, body, fields) => {
    const answer = await create({ note, account_domains: ['acme.com'], ...body });
    expect([answer.status, answer.fieldsAtFault]).toEqual([400, fields]);
  });

  test('answers unknown, deleted and foreign opportunities alike, each by its place in the list', async () => {
    const [ours, deleted] = [await addOpportunity('Ours'), await addOpportunity('Deleted')];
    await gateway.client.call(deleteOpportunity, { params: { id: deleted } });
    const theirs = await addOpportunity('Theirs', gateway.stranger);
    const unknown = '01890000-0000-7000-8000-000000000000';
    const refused = await create({
      note,
      related_objects: { opportunity_ids: [ours, theirs, ours, deleted, unknown] },
    });
    expect(refused.status).toBe(400);
    expect(refused.fieldsAtFault).toEqual([1, 3, 4].map((place) => `related_objects.opportunity_ids[${place}]`));
    const [foreign, none] = [theirs, unknown].map((id) =>
      create({ note, account_domains: ['beside.com'], related_objects: { opportunity_ids: [id] } }),
    );
    expect((await foreign)?.comparable).toBe((await none)?.comparable);
    expect((await create({ note, related_objects: { opportunity_ids: ['x'] } })).fieldsAtFault).toEqual([
      'related_objects.opportunity_ids[0]',
    ]);
  });

  test('writes nothing for a refused note', async () => {
    const before = [await countOf('notes'), await countOf('accounts'), await countOf('contacts')];
    await create({ note, account_domains: ['left-behind.com'], contact_emails: ['a@left-behind.com', 'x'] });
    await create({ note: {}, account_domains: ['left-behind.com'] });
    const opportunity_ids = ['01890000-0000-7000-8000-000000000000'];
    await create({ note, account_domains: ['left-behind.com'], related_objects: { opportunity_ids } });
    expect([await countOf('notes'), await countOf('accounts'), await countOf('contacts')]).toEqual(before);
  });
});

describe('two organizations', () => {
  test('attach a note only to their own records, whatever the keys', async () => {
    const body = { note, account_domains: ['shared.com'], contact_emails: ['ann@shared.com'] };
    const ours = await create(body);
    const theirs = await gateway.clientOf(gateway.stranger).call(createNote, { body });
    const attached = { domains: ['shared.com'], emails: ['ann@shared.com'] };
    expect(await targetsOf(ours.data.note_id)).toEqual(attached);
    expect(await targetsOf(theirs.data.note_id, gateway.stranger.id)).toEqual(attached);
    expect(await targetsOf(theirs.data.note_id)).toEqual({ domains: [], emails: [] });
  });
});
