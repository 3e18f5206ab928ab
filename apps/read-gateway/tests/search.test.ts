import * as contracts from '@crm/contract';
import type { ObjectType } from '@crm/domain';
import type { Answer } from '@crm/testing';
import { beforeAll, describe, expect, test } from '@jest/globals';
import { startTestGateway, useGateway } from './support/gateway.js';
import { type Seeded, seedEach, visibleSlugs } from './support/seed-subject.js';
import { addRecord, pageIn, recordsIn, subjects } from './support/subject.js';

const contractOf = {
  account: contracts.searchAccounts,
  contact: contracts.searchContacts,
  opportunity: contracts.searchOpportunities,
};

const gateway = useGateway(startTestGateway);
let seeded: Readonly<Record<ObjectType, Seeded>>;
beforeAll(async () => {
  seeded = await seedEach(gateway);
});

const leaf = (field: string, operator: string, value?: unknown) => ({ field, operator, value });
const good = leaf('seats', 'gt', 1);

describe.each(Object.values(subjects))('a search of $collection', (subject) => {
  const { objectType, collection, baseKeys, extraKeys } = subject;
  const search = (body: object): Promise<Answer> => seeded[objectType].client.call(contractOf[objectType], { body });
  const keysOf = (answer: Answer) => seeded[objectType].keysOf(answer);
  const find = async (body: object) => keysOf(await search({ sort: 'created_at', ...body }));

  describe('200: the page', () => {
    test('contains everything for an empty body, last changed first, all with the same keys', async () => {
      expect(keysOf(await search({}))).toEqual(['e1', 'd1', 'c1', 'b1', 'a1']);
      const text = `UPDATE ${collection} SET updated_at = now() + interval '1 hour' WHERE organization_id = $1 AND id = $2`;
      const { organization, ids } = seeded[objectType];
      await gateway.database.query(organization.id, { text, values: [ids['b1']] });
      const answer = await search({});
      expect(keysOf(answer)).toEqual(['b1', 'e1', 'd1', 'c1', 'a1']);
      for (const record of recordsIn(answer, subject)) expect(Object.keys(record).sort()).toEqual(baseKeys.toSorted());
    });

    test('is the same if parameters are null, blank or empty', async () => {
      const nulls = { query: null, q: null, filters: null, sort: null, limit: null, cursor: null, fields: null };
      const blanks = { query: ' \t', q: '', filters: [], sort: [], cursor: ' ' };
      for (const body of [nulls, blanks]) expect((await search(body)).data).toEqual((await search({})).data);
    });

    test('has the requested limit, by default a hundred, and leads to all records by its cursor', async () => {
      const page = (cursor: string | null) => search({ sort: 'created_at', limit: 2, cursor });
      const first = await page(null);
      expect(pageIn(first)).toMatchObject({ limit: 2, has_more: true });
      const second = await page(pageIn(first).next_cursor);
      const third = await page(pageIn(second).next_cursor);
      expect([first, second, third].flatMap(keysOf)).toEqual(['a1', 'b1', 'c1', 'd1', 'e1']);
      expect(pageIn(third)).toMatchObject({ has_more: false, next_cursor: null });
      expect(pageIn(await search({ limit: 5 }))).toMatchObject({ has_more: false, next_cursor: null });
      expect([pageIn(await search({})).limit, pageIn(await search({ limit: 500 })).limit]).toEqual([100, 500]);
    });

    test('accepts its cursor in another spelling of the same search', async () => {
      const filters = [leaf('seats', 'in', [3, 10, -1.5])];
      const cursor = pageIn(await search({ filters, sort: 'seats:asc', limit: 2 })).next_cursor;
      const respelled = { ...leaf('custom__seats', 'is_any_of', [-1.5, 10, 3, 3]) };
      const sort = [{ field: 'custom__seats', direction: 'asc' }];
      expect(await find({ filters: respelled, limit: 2, cursor, sort, fields: 'motto' })).toHaveLength(2);
    });
  });

  test.each([
    ['TWO', ['b1', 'e1']],
    ['two EPS', ['e1']],
    ['c1', ['c1']],
    ['%', ['c1']],
    ['a_x', ['d1']],
    ['t_o', []],
    ['zzz', []],
  ])('200: finds the words %j as query, q or both', async (query, found) => {
    for (const body of [{ query }, { q: query }, { q: query, query }]) expect(await find(body)).toEqual(found);
  });

  test.each<[string, unknown, string[]]>([
    [
      'or, of parts of one text',
      { or: ['%', '_', 'SSE', 'RÖß'].map((part) => leaf('motto', 'contains', part)) },
      ['a1', 'c1'],
    ],
    [
      'or, of the places of a part',
      { or: [leaf('motto', 'starts_with', 'x😁'), leaf('motto', 'ends_with', 'ßER')] },
      ['b1', 'c1'],
    ],
    ['text by its normalized text', leaf('motto', 'starts_with', 'GRÖß'), ['a1', 'c1']],
    ['characters of two units', leaf('motto', 'ends_with', '😀'), ['b1']],
    ['empty: null, the empty text', leaf('motto', 'empty'), ['d1', 'e1']],
    ['empty: null, the empty list', leaf('tags', 'empty', null), ['b1', 'c1', 'd1', 'e1']],
  ])('200: filters by %s', async (_about, filters, found) => {
    expect(await find({ filters })).toEqual(found);
  });

  describe('200: fields', () => {
    const slugsOf = (answer: Answer) => Object.keys(pageIn(answer).custom_field_definitions);
    const first = (answer: Answer) => recordsIn(answer, subject)[0];
    const ofFirst = (body: object) => search({ sort: 'created_at', ...body });

    test('returns all visible custom fields by default, and adds extra fields that are named', async () => {
      const shown = { tier: 'hot', seats: 3, motto: 'Größe', tags: ['hot', 'cold'] };
      for (const fields of [undefined, [...extraKeys, 'custom_fields']]) {
        const answer = await ofFirst({ fields });
        expect([slugsOf(answer), first(answer)?.custom_fields]).toEqual([visibleSlugs, shown]);
        const extras = fields === undefined ? [] : extraKeys;
        expect(Object.keys(first(answer) ?? {}).sort()).toEqual([...baseKeys, ...extras].sort());
      }
    });

    test.each([' motto , secret ', ['secret', 'custom__motto'], ['secret,motto']])(
      '%j names fields',
      async (fields) => {
        const answer = await ofFirst({ fields });
        expect(slugsOf(answer)).toEqual(['motto', 'secret']);
        expect(first(answer)?.custom_fields).toEqual({ motto: 'Größe', secret: 'S' });
      },
    );
  });

  describe('400', () => {
    const expectRefusal = async (body: object, paths: readonly string[]): Promise<void> => {
      const answer = await search(body);
      expect({ body, status: answer.status, paths: answer.fieldsAtFault }).toEqual({ body, status: 400, paths });
    };

    // The parser of `packages/domain` has the tests of each rule.
    test.each<[object, string[]]>([
      [{ limit: 1.5, query: 7.5, q: 7.5, cursor: 7.5, fields: 7.5 }, ['cursor', 'fields', 'limit', 'q', 'query']],
      [{ filters: 7.5, sort: 7.5 }, ['filters', 'sort']],
      [{ q: '😀'.repeat(201) }, ['q']],
      [{ query: 'a', q: 'b', sort: 'nope' }, ['q', 'sort']],
      [{ page: 1, offset: 2, Filters: [] }, ['Filters', 'offset', 'page']],
      [{ fields: ['seats', 'nope', 'custom__nope'] }, ['fields']],
      [{ filters: [good, leaf('nope', 'eq', 1)] }, ['filters[1].field']],
      [{ sort: ['seats', 'custom__seats:desc'] }, ['sort[1]']],
      [{ cursor: 'null' }, ['cursor']],
    ])('refuses %j', (body, paths) => expectRefusal(body, paths));

    test.each([
      ...[`seats'; DROP TABLE ${collection}; --`, 'seats" IS NULL OR 1=1 --', `custom__seats') OR TRUE --`, '$1'],
      ...['__proto__', 'constructor', 'r.organization_id', 'organization_id', 'search_text', "term.start' --"],
    ])('refuses %s as a field to filter, sort or show', async (name) => {
      const body = { filters: [leaf(name, 'eq', 'x')], sort: { field: name }, fields: [name] };
      await expectRefusal(body, ['fields', 'filters[0].field', 'sort.field']);
    });
  });

  test('200: filters by whole external ids exactly as the key does, and by parts of them and sorts without case', async () => {
    const { database, organization, client } = gateway;
    for (const [index, externalId] of ['SF-1', 'sf-1', 'HS-2', undefined].entries()) {
      const key = `x${index}`;
      await addRecord(database, organization, objectType, { key, name: key, ...(externalId && { externalId }) });
    }
    for (const [body, found] of [
      [{ filters: leaf('external_id', 'eq', ' SF-1\u200b') }, ['SF-1']],
      [{ filters: leaf('external_id', 'eq', 'hs-2') }, []],
      [{ filters: leaf('external_id', 'in', ['sf-1', 'HS-2', 'none']) }, ['sf-1', 'HS-2']],
      [{ filters: [leaf('external_id', 'neq', 'SF-1'), leaf('external_id', 'not_in', ['HS-2', 'x'])] }, ['sf-1', null]],
      [{ filters: leaf('external_id', 'contains', 'SF') }, ['SF-1', 'sf-1']],
      [{ filters: leaf('external_id', 'not_empty') }, ['SF-1', 'sf-1', 'HS-2']],
      [{ sort: ['external_id', 'created_at'] }, ['HS-2', 'SF-1', 'sf-1', null]],
    ] as const) {
      const request = { sort: 'created_at', fields: 'external_id', ...body };
      const records = recordsIn(await client.call(contractOf[objectType], { body: request }), subject);
      // Contacts and opportunities have created accounts without external ids.
      expect([...new Set(records.map((record) => record['external_id']))]).toEqual(found);
    }
  });
});

test('200: finds deals and contacts by parts of the external ids of their account and primary contact', async () => {
  const { client, organization } = gateway;
  const { add, addDeals } = gateway.records(organization);
  await add('account', { domain: 'linked.example', external_id: 'CRM-Linked-7' });
  await add('contact', { email: 'ann@linked.example', external_id: 'CRM-Ann-8' });
  await addDeals([{ name: 'Linked', accountDomain: 'linked.example', primary: 'ann@linked.example' }]);
  for (const [objectType, own, filters] of [
    ['opportunity', leaf('name', 'eq', 'Linked'), leaf('account_external_id', 'contains', '-LINK')],
    ['opportunity', leaf('name', 'eq', 'Linked'), leaf('contact_external_id', 'ends_with', 'ann-8')],
    ['contact', leaf('email', 'eq', 'ann@linked.example'), leaf('account_external_id', 'contains', 'linked')],
  ] as const) {
    const count = async (one: object) => {
      const answer = await client.call(contractOf[objectType], { body: { filters: [own, one] } });
      return recordsIn(answer, subjects[objectType]).length;
    };
    expect([await count(filters), await count({ not: filters })]).toEqual([1, 0]);
  }
});
