import { listNotes as contract } from '@crm/contract';
import { loadSetup, noteCreate } from '@crm/db';
import { normalizeEmail } from '@crm/domain';
import type { TestOrganization } from '@crm/testing';
import { afterAll, beforeAll, describe, expect, test } from '@jest/globals';
import { startTestGateway, type TestGateway } from './support/gateway.js';
import { recordsOf } from './support/records.js';
import { writeRecord } from './support/write-record.js';

const unknownId = '01890000-0000-7000-8000-000000000000';
let gateway: TestGateway;
/** Ids by domain and email. */
let ids: Readonly<Record<string, string>>;

const addNote = async (
  { id }: TestOrganization,
  note: { readonly title: string | null; readonly content?: string | null },
  domains: readonly string[],
  addresses: readonly string[] = [],
  opportunityIds: readonly string[] = [],
): Promise<string> => {
  const emails = addresses.map(normalizeEmail).flatMap((email) => (email.ok ? [email.value] : []));
  const row = { content: null, ...note, accountDomains: domains, contactEmails: emails, opportunityIds };
  return writeRecord(gateway.database, id, noteCreate(await loadSetup(gateway.database, id), row));
};

const list = (query: string | Readonly<Record<string, string | number>> = '') =>
  gateway.client.call(contract, { query });
const titles = async (query: Readonly<Record<string, string | number>>) =>
  (await list(query)).data.notes.map(({ title }) => title);

beforeAll(async () => {
  gateway = await startTestGateway();
  const { addAccount, addContact } = recordsOf(
    () => gateway.database,
    () => gateway.organization,
  );
  ids = {
    'acme.com': await addAccount('acme.com', 'Acme'),
    'beta.com': await addAccount('beta.com', 'Beta'),
    'ann@acme.com': await addContact('ann@acme.com', 'Ann', null),
    'bare.com': await addAccount('bare.com', 'Bare'),
  };
  const ours = gateway.organization;
  await addNote(ours, { title: 'First', content: 'Line\nbreak "quoted" \\ é 😀' }, ['acme.com']);
  await addNote(ours, { title: null, content: 'No title' }, [], ['ann@acme.com']);
  await addNote(ours, { title: 'Both' }, ['beta.com', 'acme.com'], ['zoe@beta.com', 'ann@acme.com']);
});
afterAll(() => gateway.stop());

describe('200', () => {
  test('lists all notes, newest first, with their accounts and contacts in alphabetical order', async () => {
    const { notes, ...page } = (await list()).data;
    expect(page).toEqual({ has_more: false, next_cursor: null, limit: 100 });
    const [both, untitled, first] = notes;
    expect(both).toEqual({
      id: expect.any(String),
      title: 'Both',
      content: null,
      account_ids: [ids['acme.com'], ids['beta.com']].sort(),
      contact_ids: [expect.any(String), expect.any(String)],
      opportunity_ids: [],
      account_domains: ['acme.com', 'beta.com'],
      contact_emails: ['ann@acme.com', 'zoe@beta.com'],
      created_at: expect.stringMatching(/^\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d\.\d{3}Z$/),
      updated_at: both?.created_at,
      version: 1,
    });
    expect(untitled).toMatchObject({ title: null, content: 'No title', account_domains: [] });
    expect(first).toMatchObject({ content: 'Line\nbreak "quoted" \\ é 😀', contact_emails: [] });
    expect(notes).toHaveLength(3);
  });

  test('lists the notes of an account, of a contact, and of both', async () => {
    const account_id = ids['acme.com'] ?? '';
    const contact_id = ids['ann@acme.com'] ?? '';
    expect(await titles({ account_id })).toEqual(['Both', 'First']);
    expect(await titles({ account_id: account_id.toUpperCase() })).toEqual(['Both', 'First']);
    expect(await titles({ contact_id })).toEqual(['Both', null]);
    expect(await titles({ account_id, contact_id })).toEqual(['Both']);
  });

  test('lists the notes of an opportunity', async () => {
    const { addDeals } = recordsOf(
      () => gateway.database,
      () => gateway.organization,
    );
    const [one = '', other = '', bare = ''] = await addDeals([{ name: 'One' }, { name: 'Other' }, { name: 'Bare' }]);
    const note = await addNote(gateway.organization, { title: 'On deals' }, ['acme.com'], [], [one, other]);
    const { notes } = (await list({ opportunity_id: one.toUpperCase() })).data;
    expect(notes).toMatchObject([{ title: 'On deals', opportunity_ids: [one, other].sort() }]);
    expect(await titles({ opportunity_id: other, account_id: ids['acme.com'] ?? '' })).toEqual(['On deals']);
    expect(await titles({ opportunity_id: other, account_id: ids['beta.com'] ?? '' })).toEqual([]);
    expect(await titles({ opportunity_id: bare })).toEqual([]);
    await gateway.database.prisma.note.deleteMany({ where: { organizationId: gateway.organization.id, id: note } });
  });

  test('lists none for an account without notes, or for a contact without notes on this account', async () => {
    expect(await titles({ account_id: ids['bare.com'] ?? '' })).toEqual([]);
    expect(await titles({ account_id: ids['bare.com'] ?? '', contact_id: ids['ann@acme.com'] ?? '' })).toEqual([]);
  });

  test('shows each note once in pages of any size, even if notes are added meanwhile', async () => {
    const fresh = await gateway.createOrganization();
    const client = gateway.clientOf(fresh);
    const added: string[] = [];
    for (let index = 0; index < 7; index += 1) added.unshift(await addNote(fresh, { title: String(index) }, ['a.com']));
    for (const limit of [1, 3, 7]) {
      const walked: string[] = [];
      let cursor = '';
      do {
        const { data } = await client.call(contract, { query: { limit, cursor } });
        expect(data).toMatchObject({ limit, has_more: data.next_cursor !== null });
        walked.push(...data.notes.map(({ id }) => id));
        cursor = data.next_cursor ?? '';
        if (cursor !== '') await addNote(fresh, { title: 'late' }, ['a.com']);
      } while (cursor !== '');
      expect(walked.filter((id) => added.includes(id))).toEqual(added);
      await gateway.database.prisma.note.deleteMany({ where: { organizationId: fresh.id, title: 'late' } });
    }
  });
});

describe('400', () => {
  test.each([
    ...['limit=0', 'limit=501', 'limit=%205', 'cursor=x', 'account_id=x', 'account_id=', 'contact_id=1', 'query=a'],
    ...['q=a&q=b', `q=${'a'.repeat(201)}`, 'q=%00', 'q=%ff'],
    ...['fields=title', `account_id=${unknownId}`, `contact_id=${unknownId}`, `opportunity_id=${unknownId}`],
  ])('refuses %s and names the parameter', async (query) => {
    const answer = await list(query);
    expect(answer.status).toBe(400);
    expect(answer.fieldsAtFault).toEqual([query.slice(0, query.indexOf('='))]);
  });

  test('answers unknown, foreign and wrong kinds of references alike, and both at once', async () => {
    const unknown = await list({ account_id: unknownId, contact_id: unknownId, opportunity_id: unknownId });
    expect(unknown.fieldsAtFault).toEqual(['account_id', 'contact_id', 'opportunity_id']);
    const theirs = recordsOf(
      () => gateway.database,
      () => gateway.stranger,
    );
    const account_id = await theirs.addAccount('acme.com', 'Theirs');
    const contact_id = await theirs.addContact('ann@acme.com', null, null);
    const [opportunity_id = ''] = await theirs.addDeals([{ name: 'Theirs' }]);
    await addNote(gateway.stranger, { title: 'Secret' }, ['acme.com'], ['ann@acme.com'], [opportunity_id]);
    expect((await list({ account_id, contact_id, opportunity_id })).comparable).toBe(unknown.comparable);
    const swapped = await list({
      account_id: ids['ann@acme.com'] ?? '',
      contact_id: ids['acme.com'] ?? '',
      opportunity_id: ids['acme.com'] ?? '',
    });
    expect(swapped.comparable).toBe(unknown.comparable);
  });

  test('refuses an unknown reference next to a valid one', async () => {
    const answer = await list({ account_id: ids['acme.com'] ?? '', contact_id: unknownId });
    expect(answer.fieldsAtFault).toEqual(['contact_id']);
  });

  test('refuses a cursor of another limit, account, contact or organization', async () => {
    const good = { limit: 1, account_id: ids['acme.com'] ?? '' };
    const cursor = (await list(good)).data.next_cursor ?? '';
    expect((await list({ ...good, cursor })).status).toBe(200);
    for (const other of [
      { ...good, limit: 2 },
      { ...good, account_id: ids['beta.com'] ?? '' },
      { ...good, contact_id: ids['ann@acme.com'] ?? '' },
      { ...good, q: 'first' },
      { limit: 1 },
    ]) {
      expect((await list({ ...other, cursor })).fieldsAtFault).toEqual(['cursor']);
    }
    const ofOther = await gateway.clientOf(gateway.stranger).call(contract, { query: { limit: 1, cursor } });
    expect(ofOther.fieldsAtFault).toEqual(['cursor']);
  });
});
