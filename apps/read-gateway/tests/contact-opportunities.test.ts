import {
  getAccount,
  getContact,
  getContactByEmail,
  getOpportunity,
  listNotes,
  listOpportunities,
  searchOpportunities,
  summarizeOpportunities,
} from '@crm/contract';
import { beforeAll, describe, expect, test } from '@jest/globals';
import { startTestGateway, useGateway } from './support/gateway.js';
import { walkPages } from './support/walk.js';

const gateway = useGateway(startTestGateway);
let ids: Readonly<Record<'account' | 'ann' | 'bob' | 'cid' | 'deal', string>>;

beforeAll(async () => {
  const { addAccount, addContact, addDeals } = gateway.records();
  const people = {
    ann: await addContact('ann@acme.com', 'Ann', null),
    bob: await addContact('bob@acme.com', null, null),
    cid: await addContact('cid@acme.com', 'Cid', null),
  };
  const additional = ['cid@acme.com', 'bob@acme.com'];
  const deals = await addDeals([
    { name: 'Nothing' },
    { name: 'Bare', pipelineId: gateway.organization.otherPipeline.id },
    { name: 'With contact', primary: 'hidden@contact.com' },
    { name: 'Renewal', amount: 10.5, stageId: stage(2), nextStep: 'Call', primary: 'ann@acme.com', additional },
  ]);
  ids = { account: await addAccount('acme.com', 'Acme'), ...people, deal: deals[3] ?? '' };
});

const stage = (index: number) => gateway.organization.pipeline.stages[index]?.id ?? '';
const list = (query: Readonly<Record<string, string | number>> = {}) =>
  gateway.client.call(listOpportunities, { query: { pipeline_id: gateway.organization.pipeline.id, ...query } });

describe('contact_id', () => {
  const read = async (query: Readonly<Record<string, string>>) =>
    (await list({ pipeline_id: 'all', ...query })).data.opportunities.map(({ id }) => id);
  const search = async (body: object): Promise<readonly string[]> =>
    (
      await gateway.client.call(searchOpportunities, { body: { sort: 'created_at:desc', ...body } })
    ).data.opportunities.map(({ id }) => id);

  test('lists and searches the deals of a person, whatever the place of the person', async () => {
    for (const contact_id of [ids.ann, ids.bob, ids.cid.toUpperCase()]) {
      expect(await read({ contact_id })).toEqual([ids.deal]);
      expect(await read({ contact_id, pipeline_id: gateway.organization.otherPipeline.id })).toEqual([]);
      expect(await read({ contact_id, stage_id: stage(2), q: 'renewal' })).toEqual([ids.deal]);
      expect(await search({ contact_id, filters: { field: 'amount', operator: 'gt', value: 10 } })).toEqual([ids.deal]);
      expect(await search({ contact_id, sort: 'next_step' })).toEqual([ids.deal]);
      const { groups, total } = (await gateway.client.call(summarizeOpportunities, { body: { contact_id } })).data;
      expect([groups, total.count]).toEqual([[], 1]);
    }
  });

  test('compares all contacts of a deal with each operator of filters', async () => {
    const every = await read({});
    const others = every.filter((id) => id !== ids.deal);
    const filtered = (operator: string, value?: unknown) =>
      search({ filters: { field: 'contact_id', operator, ...(value === undefined ? {} : { value }) } });
    const withSome = await filtered('not_empty');
    expect(withSome).toHaveLength(2);
    expect(withSome).toContain(ids.deal);
    expect(await filtered('empty')).toEqual(every.filter((id) => !withSome.includes(id)));
    for (const id of [ids.ann, ids.bob, ids.cid]) {
      expect(await filtered('eq', id)).toEqual([ids.deal]);
      expect(await filtered('neq', id)).toEqual(others);
      expect(await filtered('in', [id.toUpperCase(), ids.account])).toEqual([ids.deal]);
      expect(await filtered('not_in', [ids.account, id])).toEqual(others);
    }
    const both = [ids.ann, ids.cid].map((value) => ({ field: 'contact_id', operator: 'eq', value }));
    expect(await search({ filters: both })).toEqual([ids.deal]);
    expect(await search({ filters: [{ or: both }, { not: { and: both } }] })).toEqual([]);
  });

  test('pages through all deals of a person exactly once, and binds the cursor to the person', async () => {
    const { addContact, addDeals } = gateway.records();
    const eve = await addContact('eve@eve.com', 'Eve', null);
    const pipelines = [gateway.organization.pipeline.id, gateway.organization.otherPipeline.id];
    const places = [
      { primary: 'eve@eve.com' },
      { primary: 'ann@acme.com', additional: ['bob@acme.com', 'eve@eve.com'] },
    ];
    const added = await addDeals(
      Array.from({ length: 7 }, (_, n) => ({
        name: `Of Eve ${n}`,
        pipelineId: pipelines[n % 2] ?? '',
        ...places[Math.floor(n / 2) % 2],
      })),
    );
    for (const sort of ['created_at', 'amount:desc', 'name', 'next_step', 'stage_name']) {
      const walk = await walkPages((cursor) =>
        gateway.client.call(searchOpportunities, { body: { contact_id: eve, sort, limit: 2, cursor } }),
      );
      expect(walk.flatMap(({ data }) => data.opportunities.map(({ id }) => id)).sort()).toEqual([...added].sort());
      expect(walk).toHaveLength(4);
    }
    const query = { pipeline_id: 'all', limit: 2, contact_id: eve };
    const walk = await walkPages((cursor) => list({ ...query, cursor }));
    expect(walk.flatMap(({ data }) => data.opportunities.map(({ id }) => id))).toEqual([...added].reverse());
    const cursor = walk[0]?.data.next_cursor ?? '';
    expect((await list({ ...query, contact_id: ids.ann, cursor })).fieldsAtFault).toEqual(['cursor']);
  });

  test('400: refuses a person whom the organization does not have', async () => {
    const contact_id = ids.account;
    const body = { contact_id };
    const answers = [
      await list({ contact_id }),
      await gateway.client.call(searchOpportunities, { body }),
      await gateway.client.call(summarizeOpportunities, { body }),
    ];
    for (const { status, body: refusal } of answers)
      expect([status, refusal]).toMatchObject([
        400,
        { errors: { contact_id: 'is not a contact of this organization' } },
      ]);
  });
});

describe('include', () => {
  /** The names or titles of included records, and whether there are more. */
  const shown = (answer: { readonly data: { readonly included?: object } }) =>
    Object.entries(
      (answer.data.included ?? {}) as Record<string, { records: Record<string, unknown>[]; has_more: boolean }>,
    ).map(([name, { records, has_more: more }]) => [
      name,
      records.map((one) => one['title'] ?? one['email'] ?? one['name']),
      more,
    ]);
  let account: string;
  let people: readonly string[];
  let deal: string;

  beforeAll(async () => {
    const { addAccount, addContact, addDeals, addNote } = gateway.records();
    account = await addAccount('inc.com', 'Inc');
    people = [await addContact('one@inc.com', 'One', null), await addContact('two@inc.com', 'Two', null)];
    [deal = ''] = await addDeals([
      { name: 'Of Inc', accountDomain: 'inc.com', primary: 'one@inc.com', additional: ['two@inc.com'] },
    ]);
    await addNote({ title: 'On the account', domains: ['inc.com'] });
    await addNote({ title: 'On the person', emails: ['two@inc.com'] });
    await addNote({ title: 'On the deal', opportunityIds: [deal] });
  });

  test('returns the opportunities, contacts and notes of an account, newest first', async () => {
    const include = 'notes,opportunities,contacts';
    const answer = await gateway.client.call(getAccount, { params: { id: account }, query: { include } });
    expect(shown(answer)).toEqual([
      ['opportunities', ['Of Inc'], false],
      ['contacts', ['two@inc.com', 'one@inc.com'], false],
      ['notes', ['On the account'], false],
    ]);
    const plain = await gateway.client.call(getAccount, { params: { id: account } });
    expect(plain.data.included).toBeUndefined();
    expect(plain.headers.get('etag')).not.toBe(answer.headers.get('etag'));
  });

  test('returns those of a contact, whatever its place in a deal, and the other contacts of its account', async () => {
    const query = { include: 'opportunities,contacts,notes', fields: 'name' };
    const expected = [
      ['opportunities', ['Of Inc'], false],
      ['contacts', ['one@inc.com'], false],
      ['notes', ['On the person'], false],
    ];
    expect(shown(await gateway.client.call(getContact, { params: { id: people[1] ?? '' }, query }))).toEqual(expected);
    const byEmail = { params: { email: 'TWO@inc.com' }, query };
    expect(shown(await gateway.client.call(getContactByEmail, byEmail))).toEqual(expected);
    const notes = await gateway.client.call(getOpportunity, { params: { id: deal }, query: { include: 'notes' } });
    expect(shown(notes)).toEqual([['notes', ['On the deal'], false]]);
  });

  test('returns the newest fifty and says that there are more', async () => {
    const { addDeals, addNote } = gateway.records();
    const names = Array.from({ length: 51 }, (_, n) => `Many ${n}`);
    await addDeals(names.map((name) => ({ name, accountDomain: 'many.com' })));
    for (const title of names) await addNote({ title, domains: ['many.com'] });
    const { accounts } = (await gateway.client.send('GET', '/v1/accounts', { query: { q: 'many.com' } })).data as {
      readonly accounts: readonly { readonly id: string }[];
    };
    const query = { include: 'opportunities,notes' };
    const answer = await gateway.client.call(getAccount, { params: { id: accounts[0]?.id ?? '' }, query });
    const newest = names.slice(1).reverse();
    expect(shown(answer)).toEqual([
      ['opportunities', newest, true],
      ['notes', newest, true],
    ]);
  });

  test('401: refuses records that the key may not list', async () => {
    const { key } = await gateway.organization.createKey({
      allow: ['getOpportunity', 'getAccount', 'listContacts'],
    });
    const read = (id: string, include: string) =>
      gateway.client.call(getAccount, { params: { id }, query: { include }, key });
    expect((await read(account, 'contacts')).status).toBe(200);
    const refused = await read(account, 'contacts,notes');
    expect([refused.status, (await read(account, 'opportunities')).comparable]).toEqual([401, refused.comparable]);
  });

  test('400: refuses other names', async () => {
    const params = { id: deal };
    for (const include of ['contacts', 'notes,', 'Notes', 'notes, notes'])
      expect((await gateway.client.call(getOpportunity, { params, query: { include } })).body).toMatchObject({
        errors: { include: 'must be some of notes, with commas between them' },
      });
  });
});

describe('the notes on several records', () => {
  const titles = async (query: Readonly<Record<string, string | number>>) => {
    const answers = await walkPages((cursor) =>
      gateway.client.call(listNotes, { query: { ...query, limit: 2, cursor } }),
    );
    return answers.flatMap(({ data }) => data.notes.map(({ title }) => title));
  };

  test('are listed once each, newest first, up to 200 ids', async () => {
    const { addAccount, addNote, addContact } = gateway.records();
    const [a, b, c] = [
      await addAccount('n-a.com', 'A'),
      await addAccount('n-b.com', 'B'),
      await addAccount('n-c.com', 'C'),
    ];
    const person = await addContact('p@n-a.com', 'P', null);
    const on: readonly [string, object][] = [
      ['1', { domains: ['n-a.com'] }],
      ['2', { domains: ['n-b.com', 'n-a.com'] }],
      ['3', { domains: ['n-c.com'] }],
      ['4', { domains: ['n-b.com'], emails: ['p@n-a.com'] }],
      ['5', { domains: ['n-a.com'] }],
    ];
    for (const [title, target] of on) await addNote({ title, ...target });
    expect(await titles({ account_id: `${a},${b.toUpperCase()}` })).toEqual(['5', '4', '2', '1']);
    expect(await titles({ account_id: [c, b, a, a].join(',') })).toEqual(['5', '4', '3', '2', '1']);
    expect(await titles({ account_id: `${a},${b}`, contact_id: person })).toEqual(['4']);
    expect(await titles({ account_id: `${a},${c}`, q: '3' })).toEqual(['3']);
    const ids = Array.from({ length: 201 }, () => a);
    expect(await titles({ account_id: ids.slice(1).join(',') })).toEqual(['5', '2', '1']);
    const first = await gateway.client.call(listNotes, { query: { account_id: `${a},${b}`, limit: 2 } });
    const cursor = first.data.next_cursor ?? '';
    const reordered = { account_id: `${b},${a}`, limit: 2, cursor };
    expect((await gateway.client.call(listNotes, { query: reordered })).data.notes.map(({ title }) => title)).toEqual([
      '2',
      '1',
    ]);
    const other = { account_id: `${c},${a}`, limit: 2, cursor };
    expect((await gateway.client.call(listNotes, { query: other })).fieldsAtFault).toEqual(['cursor']);
  });

  test('400: name the ids that the organization does not have, and refuse more than 200 and what is no id', async () => {
    const account = await gateway.records().addAccount('n-d.com', 'D');
    await gateway.records().addNote({ title: 'D', domains: ['n-d.com'] });
    const faultOf = async (account_id: string) =>
      (await gateway.client.call(listNotes, { query: { account_id } })).body.errors?.['account_id'];
    const isNoList = 'must be 1 to 200 valid UUIDs with commas between them';
    const unknown = ids.ann;
    expect(await faultOf(`${account},${unknown}`)).toBe(`names no accounts of this organization: ${unknown}`);
    expect(await faultOf(unknown)).toBe('is not an account of this organization');
    expect(await faultOf(Array.from({ length: 201 }, () => account).join(','))).toBe(isNoList);
    for (const list of [`${account},`, `${account},x`, `${account} ${account}`])
      expect(await faultOf(list)).toBe(isNoList);
  });
});
