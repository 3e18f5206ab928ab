import { getNote, listNotes as contract } from '@crm/contract';
import type { TestOrganization } from '@crm/testing';
import { beforeAll, describe, expect, test } from '@jest/globals';
import { startTestGateway, useGateway } from './support/gateway.js';

const unknownId = '01890000-0000-7000-8000-000000000000';
const gateway = useGateway(startTestGateway);
/** Ids by domain and email. */
let ids: Readonly<Record<'acme' | 'beta' | 'ann' | 'bare', string>>;

const list = (query: string | Readonly<Record<string, string | number>> = '') =>
  gateway.client.call(contract, { query });
const titles = async (query: Readonly<Record<string, string | number>>) =>
  (await list(query)).data.notes.map(({ title }) => title);

beforeAll(async () => {
  const { addAccount, addContact, addNote } = gateway.records();
  ids = {
    acme: await addAccount('acme.com', 'Acme'),
    beta: await addAccount('beta.com', 'Beta'),
    ann: await addContact('ann@acme.com', 'Ann', null),
    bare: await addAccount('bare.com', 'Bare'),
  };
  await addNote({ title: 'First', content: 'Line\nbreak "quoted" \\ é 😀', domains: ['acme.com'] });
  await addNote({ title: null, content: 'No title', emails: ['ann@acme.com'] });
  await addNote({ title: 'Both', domains: ['beta.com', 'acme.com'], emails: ['zoe@beta.com', 'ann@acme.com'] });
});

describe('200', () => {
  test('lists all notes, newest first, with their accounts and contacts in alphabetical order', async () => {
    const { notes, ...page } = (await list()).data;
    expect(page).toEqual({ has_more: false, next_cursor: null, limit: 100 });
    const [both, untitled, first] = notes;
    expect(both).toEqual({
      id: expect.any(String),
      title: 'Both',
      content: null,
      opportunity_ids: [],
      version: 1,
      account_ids: [ids.acme, ids.beta].sort(),
      contact_ids: [expect.any(String), expect.any(String)],
      account_domains: ['acme.com', 'beta.com'],
      contact_emails: ['ann@acme.com', 'zoe@beta.com'],
      created_at: expect.stringMatching(/^\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d\.\d{3}Z$/),
      updated_at: both?.created_at,
    });
    expect(untitled).toMatchObject({ title: null, content: 'No title', account_domains: [] });
    expect(first).toMatchObject({ content: 'Line\nbreak "quoted" \\ é 😀', contact_emails: [] });
    expect(notes).toHaveLength(3);
  });

  test('returns one note as the list does, with its version as the ETag', async () => {
    const [note] = (await list()).data.notes;
    const answer = await gateway.client.call(getNote, { params: { id: note?.id.toUpperCase() ?? '' } });
    expect([answer.data.note, answer.headers.get('etag')]).toEqual([
      note,
      expect.stringMatching(/^"1\.[0-9a-f]{20}"$/),
    ]);
  });

  test('lists the notes of an account, of a contact, and of both', async () => {
    const { acme: account_id, ann: contact_id } = ids;
    expect(await titles({ account_id })).toEqual(['Both', 'First']);
    expect(await titles({ account_id: account_id.toUpperCase() })).toEqual(['Both', 'First']);
    expect(await titles({ contact_id })).toEqual(['Both', null]);
    expect(await titles({ account_id, contact_id })).toEqual(['Both']);
    expect(await titles({ account_id: ids.bare })).toEqual([]);
    expect(await titles({ account_id: ids.bare, contact_id })).toEqual([]);
  });

  test('lists the notes of an opportunity', async () => {
    const { addDeals, addNote } = gateway.records();
    const [one = '', other = '', bare = ''] = await addDeals([{ name: 'One' }, { name: 'Other' }, { name: 'Bare' }]);
    const id = await addNote({ title: 'On deals', domains: ['acme.com'], opportunityIds: [one, other] });
    const { notes } = (await list({ opportunity_id: one.toUpperCase() })).data;
    expect(notes).toMatchObject([{ title: 'On deals', opportunity_ids: [one, other].sort() }]);
    expect(await titles({ opportunity_id: other, account_id: ids.acme })).toEqual(['On deals']);
    expect(await titles({ opportunity_id: other, account_id: ids.beta })).toEqual([]);
    expect(await titles({ opportunity_id: bare })).toEqual([]);
    await gateway.database.prisma.note.deleteMany({ where: { organizationId: gateway.organization.id, id } });
  });
});

describe('400', () => {
  test.each([
    ...['account_id=x', 'account_id=a1', 'contact_id=1', 'q=a&q=b', `q=${'a'.repeat(201)}`, 'q=%00', 'q=%ff'],
    ...[`account_id=${unknownId}`, `contact_id=${unknownId}`, `opportunity_id=${unknownId}`],
  ])('refuses %s and names the parameter', async (query) => {
    const answer = await list(query);
    expect([answer.status, answer.fieldsAtFault]).toEqual([400, [query.slice(0, query.indexOf('='))]]);
  });

  test('answers unknown and wrong kinds of references alike, all at once, also next to a valid one', async () => {
    const unknown = await list({ account_id: unknownId, contact_id: unknownId, opportunity_id: unknownId });
    expect(unknown.fieldsAtFault).toEqual(['account_id', 'contact_id', 'opportunity_id']);
    const swapped = await list({ account_id: ids.ann, contact_id: ids.acme, opportunity_id: ids.acme });
    expect(swapped.comparable).toBe(unknown.comparable);
    expect((await list({ account_id: ids.acme, contact_id: unknownId })).fieldsAtFault).toEqual(['contact_id']);
    expect((await gateway.client.call(getNote, { params: { id: 'x' } })).fieldsAtFault).toEqual(['id']);
  });
});

describe('200: q', () => {
  /** Each word must occur in the title or content; surrounding white space and case do not matter. */
  const texts = [
    ['Budget 2026', 'Approved by Ann.'],
    ['budget', null],
    [null, 'The BUDGET of ΟΔΥΣΣΕΥΣ\nand 100% of a_b\\c'],
    ['Über Straße', 'Cafe\u0301 in İstanbul'],
    ['ab', 'cd'],
  ] as const;
  let fresh: TestOrganization;
  const ask = async (query: Readonly<Record<string, string | number>>) =>
    (await gateway.client.call(contract, { query, key: fresh.key })).data;
  const found = async (q: string, query: object = {}) =>
    (await ask({ q, ...query })).notes.map(({ title, content }) => title ?? content);

  beforeAll(async () => {
    fresh = await gateway.createOrganization();
    for (const [title, content] of texts) await gateway.records(fresh).addNote({ title, content, domains: ['q.com'] });
  });

  test.each([
    ['BUDGET', [texts[2][1], 'budget', 'Budget 2026']],
    ['  ann   budget ', ['Budget 2026']],
    ['οδυσσευς', [texts[2][1]]],
    ['100%', [texts[2][1]]],
    ['a_b\\c', [texts[2][1]]],
    ['a%b', []],
    ['café istanbul', ['Über Straße']],
    ['ÜBER', ['Über Straße']],
    ['b cd', ['ab']],
    ['abcd', []],
    ['b c', ['ab', 'Über Straße', texts[2][1]]],
    [' ', ['ab', 'Über Straße', texts[2][1], 'budget', 'Budget 2026']],
  ])('finds the notes with %s', async (q, expected) => {
    expect(await found(q)).toEqual(expected);
  });

  test('searches the notes of one account', async () => {
    await gateway.records(fresh).addNote({ title: 'Budget elsewhere', domains: ['elsewhere.com'] });
    const account_id = (await ask({ q: 'elsewhere' })).notes[0]?.account_ids[0] ?? '';
    expect(await found('budget', { account_id })).toEqual(['Budget elsewhere']);
    expect(await found('2026', { account_id })).toEqual([]);
  });
});
