import { createNote, deleteNote, updateNote } from '@crm/contract';
import { afterAll, beforeAll, describe, expect, test } from '@jest/globals';
import { startTestGateway, type TestGateway } from './support/gateway.js';
import { unknownId, versionOf } from './support/records-of.js';

let gateway: TestGateway;

beforeAll(async () => {
  gateway = await startTestGateway();
});
afterAll(() => gateway.stop());

const note = async (texts: object = { title: 'Kick-off', content: 'Budget' }): Promise<string> => {
  const body = { note: texts, account_domains: ['acme.com'] };
  return (await gateway.client.call(createNote, { body })).data.note_id;
};
const change = (id: string, texts: object, headers: Readonly<Record<string, string>> = {}) =>
  gateway.client.call(updateNote, { params: { id }, body: { note: texts }, headers });
const eventsOf = (id: string) =>
  gateway.rows(
    `SELECT type, version, changed, previous FROM events WHERE organization_id = $1 AND record_id = $2 ORDER BY position`,
    [id],
  );

describe('200', () => {
  test('answers the whole note with its version and logs an event', async () => {
    const id = await note();
    const answer = await change(id.toUpperCase(), { content: ' New\n' });
    expect(answer.status).toBe(200);
    expect(answer.data.note).toMatchObject({
      ...{ id, title: 'Kick-off', content: ' New\n', account_domains: ['acme.com'], version: 2 },
      opportunity_ids: [],
    });
    expect(Date.parse(answer.data.note.updated_at)).toBeGreaterThanOrEqual(Date.parse(answer.data.note.created_at));
    expect(versionOf(answer)).toBe(2);
    expect(answer.headers.get('x-read-after')).toEqual(expect.any(String));
    expect(await eventsOf(id)).toMatchObject([
      { type: 'note.created', version: 1 },
      { type: 'note.updated', version: 2, changed: ['content'], previous: { content: 'Budget' } },
    ]);
  });

  test('keeps absent texts; null or a blank text clears', async () => {
    const id = await note();
    expect((await change(id, { title: null })).data.note).toMatchObject({ title: null, content: 'Budget' });
    expect((await change(id, { title: ' T ', content: ' ' })).data.note).toMatchObject({ title: 'T', content: null });
  });

  test('updates the searched text when title or content changes', async () => {
    const id = await note({ title: 'Größe', content: 'IN ΣΟΦΟΣ' });
    const searched = async () => {
      const text = 'SELECT normalized_title, search_text FROM notes WHERE organization_id = $1 AND id = $2';
      return (await gateway.rows(text, [id]))[0];
    };
    expect(await searched()).toEqual({ normalized_title: 'größe', search_text: 'größe in σοφοσ' });
    for (const [texts, expected] of [
      [{ title: 'New 😀' }, { normalized_title: 'new 😀', search_text: 'new 😀 in σοφοσ' }],
      [{ content: 'Text' }, { normalized_title: 'new 😀', search_text: 'new 😀 text' }],
      [{ title: null }, { normalized_title: null, search_text: 'text' }],
      [{ title: 'Title' }, { normalized_title: 'title', search_text: 'title text' }],
      [{ content: null }, { normalized_title: 'title', search_text: 'title' }],
      [{ title: 'Other' }, { normalized_title: 'other', search_text: 'other' }],
      [{ content: 'Both' }, { normalized_title: 'other', search_text: 'other both' }],
      [
        { title: null, content: 'C' },
        { normalized_title: null, search_text: 'c' },
      ],
    ] as const) {
      expect((await change(id, texts)).status).toBe(200);
      expect(await searched()).toEqual(expected);
    }
  });

  test('keeps the version and logs no event if nothing changes', async () => {
    const id = await note();
    for (const texts of [{}, { title: 'Kick-off' }, { title: ' Kick-off ', content: 'Budget' }]) {
      const answer = await change(id, texts);
      expect(answer.status).toBe(200);
      expect(versionOf(answer)).toBe(1);
    }
    expect(await eventsOf(id)).toHaveLength(1);
  });
});

describe('400', () => {
  test.each([
    { title: null, content: null },
    { title: ' ', content: '' },
  ])('refuses to clear both title and content: %j', async (texts) => {
    const id = await note();
    const answer = await change(id, texts);
    expect(answer.status).toBe(400);
    expect(answer.fieldsAtFault).toEqual(['note.content', 'note.title']);
    const untitled = await note({ content: 'Alone' });
    expect((await change(untitled, { content: null })).fieldsAtFault).toEqual(['note.content', 'note.title']);
    expect(await eventsOf(id)).toHaveLength(1);
  });
});

describe('404', () => {
  test('answers unknown, deleted and foreign notes alike', async () => {
    const [id, gone] = [await note(), await note()];
    await gateway.client.call(deleteNote, { params: { id: gone } });
    const unknown = await change(unknownId, { title: 'T' });
    expect(unknown.status).toBe(404);
    expect((await change(gone, { title: 'T' })).comparable).toBe(unknown.comparable);
    const body = { note: { title: 'Stolen' } };
    const foreign = await gateway.clientOf(gateway.stranger).call(updateNote, { params: { id }, body });
    expect(foreign.comparable).toBe(unknown.comparable);
    expect((await change(id, {})).data.note.title).toBe('Kick-off');
  });
});

describe('412', () => {
  test('applies only changes whose If-Match names the current version', async () => {
    const id = await note();
    expect((await change(id, { title: 'Two' }, { 'if-match': '"1"' })).status).toBe(200);
    expect((await change(id, { title: 'Three' }, { 'if-match': '"1"' })).status).toBe(412);
    expect((await change(id, { title: 'Three' }, { 'if-match': '*' })).data.note).toMatchObject({ version: 3 });
  });
});
