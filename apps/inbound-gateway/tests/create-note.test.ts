import { createContact, createNote } from '@crm/contract';
import { afterAll, beforeAll, describe, expect, test } from '@jest/globals';
import { describeEveryOperation } from './support/describe-every-operation.js';
import { startTestGateway, type TestGateway } from './support/gateway.js';

let gateway: TestGateway;

beforeAll(async () => {
  gateway = await startTestGateway();
});
afterAll(() => gateway.stop());

const create = (body: object) => gateway.client.call(createNote, { body });
const note = { title: 'Kick-off', content: 'Budget is approved.' };

/** What a note is attached to, by natural key. */
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
const countOf = async (table: 'notes' | 'accounts' | 'contacts') =>
  (await gateway.rows<{ n: number }>(`SELECT count(*)::int AS n FROM ${table} WHERE organization_id = $1`))[0]?.n;

describe('200', () => {
  test('a note answers its id, title and content', async () => {
    const answer = await create({ note, account_domains: ['acme.com'] });
    expect(answer.status).toBe(200);
    expect(answer.data).toEqual({ note_id: expect.any(String), ...note });
    expect(answer.headers.get('x-record-status')).toBe('created');
  });

  test('it is attached to every account and contact named, and those that are absent are made', async () => {
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

  test.each([
    ['accounts alone', { account_domains: ['only.com'] }, { domains: ['only.com'], emails: [] }],
    ['contacts alone', { contact_emails: ['a@only.com'] }, { domains: [], emails: ['a@only.com'] }],
    [
      'an empty list beside a full one',
      { account_domains: [], contact_emails: ['a@only.com'] },
      { domains: [], emails: ['a@only.com'] },
    ],
    [
      'null beside a full list',
      { account_domains: ['only.com'], contact_emails: null },
      { domains: ['only.com'], emails: [] },
    ],
  ])('%s will do', async (_about, targets, attached) => {
    const { data } = await create({ note, ...targets });
    expect(await targetsOf(data.note_id)).toEqual(attached);
  });

  test('one target in several spellings is attached once', async () => {
    const { data } = await create({
      note,
      account_domains: ['same.com', 'SAME.com.', 'www.same.com'],
      contact_emails: ['a@same.com', 'A@same.com'],
    });
    expect(await targetsOf(data.note_id)).toEqual({ domains: ['same.com'], emails: ['a@same.com'] });
  });

  test('the same note sent twice is two notes', async () => {
    const body = { note, account_domains: ['twice.com'] };
    const [first, second] = [await create(body), await create(body)];
    expect(second.data.note_id).not.toBe(first.data.note_id);
  });

  test('a title or a content alone will do, and the other one is null', async () => {
    const target = { account_domains: ['acme.com'] };
    expect((await create({ note: { title: ' T ' }, ...target })).data).toMatchObject({ title: 'T', content: null });
    const untitled = await create({ note: { title: ' ', content: ' C\n' }, ...target });
    expect(untitled.data).toMatchObject({ title: null, content: ' C\n' });
  });

  test('content is kept as it was sent, up to 50,000 characters', async () => {
    for (const content of ['tab\t, line\r\nbreak, \u202e, 😀, e\u0301, "quotes" \\', '😀'.repeat(50_000)]) {
      const { data } = await create({ note: { content }, account_domains: ['acme.com'] });
      expect(data.content).toBe(content);
      expect(
        await gateway.rows('SELECT content FROM notes WHERE organization_id = $1 AND id = $2', [data.note_id]),
      ).toEqual([{ content }]);
    }
  });

  test('a hundred accounts and a hundred contacts are taken in one call', async () => {
    const { data } = await create({
      note,
      account_domains: Array.from({ length: 100 }, (_, i) => `many-${i}.com`),
      contact_emails: Array.from({ length: 100 }, (_, i) => `a${i}@many-contacts.com`),
    });
    const attached = await targetsOf(data.note_id);
    expect(attached?.['domains']).toHaveLength(100);
    expect(attached?.['emails']).toHaveLength(100);
  });
});

describe('400', () => {
  test.each([{}, { account_domains: [], contact_emails: [] }, { account_domains: null }])(
    'a note without a target is refused on both lists: %j',
    async (targets) => {
      const answer = await create({ note, ...targets });
      expect(answer.status).toBe(400);
      expect(answer.fieldsAtFault).toEqual(['account_domains', 'contact_emails']);
    },
  );

  test.each([{}, { title: '' }, { title: ' ', content: '\n' }, { title: null, content: null }])(
    'a note with neither title nor content is refused on both: %j',
    async (empty) => {
      const answer = await create({ note: empty, account_domains: ['acme.com'] });
      expect(answer.status).toBe(400);
      expect(answer.fieldsAtFault).toEqual(['note.content', 'note.title']);
    },
  );

  test.each([
    ['no note', {}, ['note']],
    ['null for a note', { note: null }, ['note']],
    ['a text for a note', { note: 'x' }, ['note']],
    ['a number for a title', { note: { title: 1 } }, ['note.title']],
    ['a title of 256 characters', { note: { title: 'n'.repeat(256) } }, ['note.title']],
    ['a content of 50,001 characters', { note: { content: 'n'.repeat(50_001) } }, ['note.content']],
    ['an unknown key of the note', { note: { ...note, colour: 'red' } }, ['note.colour']],
    ['a text for a list', { note, contact_emails: 'a@b.com' }, ['contact_emails']],
    [
      'bad items, each of which is named',
      { note, account_domains: ['a.com', 'x', 'y'], contact_emails: ['z'] },
      ['account_domains[1]', 'account_domains[2]', 'contact_emails[0]'],
    ],
    ['101 emails', { note, contact_emails: Array.from({ length: 101 }, (_, i) => `a${i}@b.com`) }, ['contact_emails']],
  ])('%s', async (_about, body, fields) => {
    const answer = await create({ account_domains: ['acme.com'], ...body });
    expect(answer.status).toBe(400);
    expect(answer.fieldsAtFault).toEqual(fields);
  });

  test.each(['title', 'content'])('U+0000 and lone surrogates in the %s are refused', async (name) => {
    for (const text of ['a\\u0000b', '\\ud800', 'x\\udfff']) {
      const rawBody = `{"note":{"${name}":"${text}"},"account_domains":["acme.com"]}`;
      const answer = await gateway.client.call(createNote, { rawBody });
      expect(answer.status).toBe(400);
      expect(answer.fieldsAtFault).toEqual([`note.${name}`]);
    }
  });

  test('a refused note leaves nothing behind', async () => {
    const before = [await countOf('notes'), await countOf('accounts'), await countOf('contacts')];
    await create({ note, account_domains: ['left-behind.com'], contact_emails: ['a@left-behind.com', 'x'] });
    await create({ note: {}, account_domains: ['left-behind.com'] });
    expect([await countOf('notes'), await countOf('accounts'), await countOf('contacts')]).toEqual(before);
  });
});

describe('two organizations', () => {
  test('a note is attached to the records of its own organization, whatever the keys', async () => {
    const body = { note, account_domains: ['shared.com'], contact_emails: ['ann@shared.com'] };
    const ours = await create(body);
    const theirs = await gateway.clientOf(gateway.stranger).call(createNote, { body });
    const attached = { domains: ['shared.com'], emails: ['ann@shared.com'] };
    expect(await targetsOf(ours.data.note_id)).toEqual(attached);
    expect(await targetsOf(theirs.data.note_id, gateway.stranger.id)).toEqual(attached);
    expect(await targetsOf(theirs.data.note_id)).toEqual({ domains: [], emails: [] });
    const { rows } = await gateway.database.pool.query(`SELECT id FROM contacts WHERE email = 'ann@shared.com'`);
    expect(rows).toHaveLength(2);
  });
});

describeEveryOperation(
  createNote,
  () => gateway,
  () => ({ note, account_domains: ['every-operation.com'] }),
);
