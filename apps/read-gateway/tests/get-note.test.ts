import { getNote as contract, listNotes } from '@crm/contract';
import { afterAll, beforeAll, describe, expect, test } from '@jest/globals';
import { startTestGateway, type TestGateway } from './support/gateway.js';
import { recordsOf } from './support/records.js';

const unknownId = '01890000-0000-7000-8000-000000000000';
let gateway: TestGateway;
let id: string;

beforeAll(async () => {
  gateway = await startTestGateway();
  const { addNote } = recordsOf(
    () => gateway.database,
    () => gateway.organization,
  );
  id = await addNote('Kick-off', ['acme.com'], ['ann@acme.com']);
});
afterAll(() => gateway.stop());

const get = (noteId: string, key = gateway.organization.key) =>
  gateway.client.call(contract, { params: { id: noteId }, key });

describe('200', () => {
  test('returns the note as the list does, with its version as the ETag', async () => {
    const answer = await get(id.toUpperCase());
    const { notes } = (await gateway.client.call(listNotes, { query: {} })).data;
    expect(answer.status).toBe(200);
    expect(answer.data.note).toEqual(notes[0]);
    expect(answer.data.note).toMatchObject({ id, title: 'Kick-off', account_domains: ['acme.com'], version: 1 });
    expect(answer.headers.get('etag')).toBe('"1"');
  });
});

describe('400', () => {
  test('refuses a malformed id', async () => {
    expect((await get('x')).fieldsAtFault).toEqual(['id']);
  });
});

describe('404', () => {
  test('answers an unknown note and one of another organization alike', async () => {
    const unknown = await get(unknownId);
    expect(unknown.status).toBe(404);
    expect((await get(id, gateway.stranger.key)).comparable).toBe(unknown.comparable);
  });
});
