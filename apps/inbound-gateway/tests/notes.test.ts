import { createNote, deleteNote, deleteOpportunity, updateNote } from '@crm/contract';
import { describe, expect, test } from '@jest/globals';
import { recordsOf, statusOf, unknownId, versionOf } from './support/records-of.js';
import { useGateway } from './support/use-gateway.js';

const gateway = useGateway();
const { note: addNote, contact, opportunity, row, countOf, ...records } = recordsOf(gateway);
const create = (body: object) => records.create(createNote, body);
const note = { title: 'Kick-off', content: 'Budget' };
const newNote = (texts: object = note) => addNote(texts, { account_domains: ['acme.com'] });
const change = (id: string, texts: object, headers: Readonly<Record<string, string>> = {}) =>
  gateway().client.call(updateNote, { params: { id }, body: { note: texts }, headers });

/** The natural keys and opportunities of the records that a note is attached to. */
const targetsOf = async (noteId: string) => {
  const text = `SELECT
      ARRAY(SELECT a.domain FROM note_accounts l JOIN accounts a USING (organization_id)
             WHERE l.organization_id = $1 AND l.note_id = $2 AND a.id = l.account_id ORDER BY 1) AS domains,
      ARRAY(SELECT c.email FROM note_contacts l JOIN contacts c USING (organization_id)
             WHERE l.organization_id = $1 AND l.note_id = $2 AND c.id = l.contact_id ORDER BY 1) AS emails,
      ARRAY(SELECT opportunity_id::text FROM note_opportunities
             WHERE organization_id = $1 AND note_id = $2 ORDER BY 1) AS opportunities`;
  return (await gateway().rows(text, [noteId]))[0];
};
const targets = (more: object) => ({ domains: [], emails: [], opportunities: [], ...more });
const eventsOf = (id: string) =>
  gateway().rows('SELECT * FROM events WHERE organization_id = $1 AND record_id = $2 ORDER BY position', [id]);

describe('a create', () => {
  test('200: attaches the note to every account and contact in the body and creates the missing ones', async () => {
    await contact({ email: 'ada@both.com', first_name: 'Ada' });
    const account_domains = ['both.com', 'https://www.made.com/about'];
    const answer = await create({ note, account_domains, contact_emails: ['ADA@both.com', 'bob@bob-company.com'] });
    expect([answer.status, statusOf(answer)]).toEqual([200, 'created']);
    const anyId = expect.any(String);
    const ids = { account_ids: [anyId, anyId], contact_ids: [anyId, anyId], opportunity_ids: [] };
    expect(answer.data).toEqual({ note_id: anyId, ...note, ...ids });
    const emails = ['ada@both.com', 'bob@bob-company.com'];
    expect(await targetsOf(answer.data.note_id)).toEqual(targets({ domains: ['both.com', 'made.com'], emails }));
    expect(await countOf(`accounts WHERE domain = 'bob-company.com'`)).toBe(1);
  });

  test('200: attaches the note to opportunities, with or without others, and lists them in its event', async () => {
    const ids = [await opportunity({ name: 'One' }), await opportunity({ name: 'Two' })].sort();
    const alone = await create({ note, related_objects: { opportunity_ids: ids } });
    expect(await targetsOf(alone.data.note_id)).toEqual(targets({ opportunities: ids }));
    const [id = ''] = ids;
    const spelled = { opportunity_ids: [id, id.toUpperCase()] };
    const beside = await create({ note, contact_emails: ['ada@both.com'], related_objects: spelled });
    expect(await targetsOf(beside.data.note_id)).toEqual(targets({ emails: ['ada@both.com'], opportunities: [id] }));
    const record = { account_ids: [], contact_ids: [expect.any(String)], opportunity_ids: [id] };
    expect(await eventsOf(beside.data.note_id)).toMatchObject([{ record }]);
  });

  test('200: accepts a title or a content alone, and one list of targets alone', async () => {
    const titled = await create({ note: { title: ' T ' }, account_domains: ['only.com'], contact_emails: null });
    expect(titled.data).toMatchObject({ title: 'T', content: null });
    expect(await targetsOf(titled.data.note_id)).toEqual(targets({ domains: ['only.com'] }));
    const texts = { title: ' ', content: ' C\n' };
    const untitled = await create({ note: texts, account_domains: [], contact_emails: ['a@b.com'] });
    expect(untitled.data).toMatchObject({ title: null, content: ' C\n' });
    expect(await targetsOf(untitled.data.note_id)).toEqual(targets({ emails: ['a@b.com'] }));
  });

  test('200: stores the content as it was sent, up to 50,000 characters', async () => {
    for (const content of ['tab\t, line\r\nbreak, \u202e, 😀, e\u0301, "quotes" \\', '😀'.repeat(50_000)]) {
      const { data } = await create({ note: { content }, account_domains: ['acme.com'] });
      expect(data.content).toBe(content);
      expect(await row('notes', data.note_id)).toMatchObject({ content });
    }
  });

  test('400: names unknown and deleted opportunities by their places in the list', async () => {
    const [ours, deleted] = [await opportunity({ name: 'Ours' }), await opportunity({ name: 'Deleted' })];
    await gateway().client.call(deleteOpportunity, { params: { id: deleted } });
    const refused = await create({ note, related_objects: { opportunity_ids: [ours, unknownId, ours, deleted, 'x'] } });
    expect([refused.status, refused.fieldsAtFault]).toEqual([400, ['related_objects.opportunity_ids[4]']]);
    const known = await create({ note, related_objects: { opportunity_ids: [ours, unknownId, ours, deleted] } });
    expect(known.fieldsAtFault).toEqual([1, 3].map((place) => `related_objects.opportunity_ids[${place}]`));
  });

  describe('with an id', () => {
    const id = '0197A3C4-7A31-7C85-B0D4-1F2E3D4C5B66';
    const first = { note: { id, ...note }, account_domains: ['with-id.com'] };

    test('200: gives the note this id; a repeat returns it unchanged and warns of what it does not have', async () => {
      const created = await create(first);
      const ids = { account_ids: [expect.any(String)], contact_ids: [], opportunity_ids: [] };
      expect([statusOf(created), created.data]).toEqual(['created', { note_id: id.toLowerCase(), ...note, ...ids }]);
      const again = await create(first);
      expect([statusOf(again), again.data, again.body.warnings]).toEqual(['matched', created.data, undefined]);
      const other = await create({
        note: { id, title: 'Other', content: note.content },
        account_domains: ['with-id.com', 'never-made.com'],
        contact_emails: ['a@never-made.com'],
        related_objects: { opportunity_ids: [unknownId] },
      });
      const paths = ['note.title', 'account_domains', 'contact_emails', 'related_objects.opportunity_ids'];
      expect([statusOf(other), other.data]).toEqual(['matched', created.data]);
      expect(other.body.warnings?.map(({ field }) => field)).toEqual(paths);
      expect(await row('notes', created.data.note_id)).toMatchObject({ ...note, version: 1 });
      expect(await countOf(`accounts WHERE domain = 'never-made.com'`)).toBe(0);
      expect(await eventsOf(created.data.note_id)).toHaveLength(1);
    });

    test('200: the id of a note of another organization is free', async () => {
      const body = (title: string) => ({
        note: { id: unknownId.replace(/.$/, 'e'), title },
        account_domains: ['a.com'],
      });
      const theirs = await gateway()
        .clientOf(gateway().stranger)
        .call(createNote, { body: body('Theirs') });
      const ours = await create(body('Ours'));
      expect([theirs, ours].map(statusOf)).toEqual(['created', 'created']);
      expect(ours.data.title).toBe('Ours');
    });

    test('409: the id of a deleted note', async () => {
      const deleted = { note: { id: unknownId.replace(/.$/, 'd'), title: 'Gone' }, account_domains: ['gone.com'] };
      await gateway().client.call(deleteNote, { params: { id: (await create(deleted)).data.note_id } });
      expect(await create(deleted)).toMatchObject({
        status: 409,
        body: { message: 'A note with this id was deleted: send another id, or none' },
      });
    });

    test('400: an id that is none', async () => {
      expect((await create({ ...first, note: { id: '7', title: 'T' } })).fieldsAtFault).toEqual(['note.id']);
    });
  });

  test('400: writes nothing for a refused note', async () => {
    const counts = () => Promise.all(['notes', 'accounts', 'contacts'].map((table) => countOf(table)));
    const before = await counts();
    const account_domains = ['left-behind.com'];
    await create({ note, account_domains, contact_emails: ['a@left-behind.com', 'x'] });
    await create({ note: {}, account_domains });
    await create({ note, account_domains, related_objects: { opportunity_ids: [unknownId] } });
    expect(await counts()).toEqual(before);
  });
});

describe('an update', () => {
  test('200: answers the whole note with its version and logs an event', async () => {
    const id = await newNote();
    const answer = await change(id.toUpperCase(), { content: ' New\n' });
    expect(answer.data.note).toMatchObject({
      id,
      title: 'Kick-off',
      content: ' New\n',
      account_domains: ['acme.com'],
      version: 2,
      opportunity_ids: [],
    });
    expect(Date.parse(answer.data.note.updated_at)).toBeGreaterThanOrEqual(Date.parse(answer.data.note.created_at));
    expect(versionOf(answer)).toBe(2);
    expect(await eventsOf(id)).toMatchObject([
      { type: 'note.created', version: 1 },
      { type: 'note.updated', version: 2, changed: ['content'], previous: { content: 'Budget' } },
    ]);
  });

  test('200: keeps absent texts; null or a blank text clears', async () => {
    const id = await newNote();
    expect((await change(id, { title: null })).data.note).toMatchObject({ title: null, content: 'Budget' });
    expect((await change(id, { title: ' T ', content: ' ' })).data.note).toMatchObject({ title: 'T', content: null });
  });

  test('200: updates the searched text when title or content changes', async () => {
    const id = await newNote({ title: 'Größe', content: 'IN ΣΟΦΟΣ' });
    for (const [texts, normalized_title, search_text] of [
      [{}, 'größe', 'größe in σοφοσ'],
      [{ title: 'New 😀' }, 'new 😀', 'new 😀 in σοφοσ'],
      [{ content: 'Text' }, 'new 😀', 'new 😀 text'],
      [{ title: null }, null, 'text'],
      [{ title: 'Title' }, 'title', 'title text'],
      [{ content: null }, 'title', 'title'],
      [{ content: 'Both' }, 'title', 'title both'],
      [{ title: null, content: 'C' }, null, 'c'],
    ] as const) {
      expect((await change(id, texts)).status).toBe(200);
      expect(await row('notes', id)).toMatchObject({ normalized_title, search_text });
    }
  });

  test.each([
    [note, { title: null, content: null }],
    [note, { title: ' ', content: '' }],
    [{ content: 'Alone' }, { content: null }],
  ])('400: does not leave %j without title and content: %j', async (before, texts) => {
    const id = await newNote(before);
    const answer = await change(id, texts);
    expect([answer.status, answer.fieldsAtFault]).toEqual([400, ['note.content', 'note.title']]);
    expect(await eventsOf(id)).toHaveLength(1);
  });
});
