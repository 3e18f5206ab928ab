import * as contracts from '@crm/contract';
import type { ObjectType } from '@crm/domain';
import type { Answer } from '@crm/testing';
import { beforeAll, describe, expect, test } from '@jest/globals';
import { startTestGateway, useGateway } from './support/gateway.js';
import { type Seeded, seedEach } from './support/seed-subject.js';
import { recordsIn, subjects } from './support/subject.js';

const gateway = useGateway(startTestGateway);
let seeded: Readonly<Record<ObjectType, Seeded>>;
beforeAll(async () => {
  seeded = await seedEach(gateway);
});

describe.each([subjects.account, subjects.contact])('the list of $collection', (subject) => {
  const { objectType, collection, baseKeys } = subject;
  const contract = objectType === 'account' ? contracts.listAccounts : contracts.listContacts;
  const list = (query = ''): Promise<Answer> => seeded[objectType].client.call(contract, { query });
  const keysOf = (answer: Answer) => seeded[objectType].keysOf(answer);

  describe('200: the page', () => {
    test('is empty for an organization without records', async () => {
      const page = { custom_field_definitions: {}, has_more: false, next_cursor: null, limit: 100 };
      expect((await gateway.client.call(contract)).data).toEqual({ [collection]: [], ...page });
    });

    test('sorts the newest first, even if older records changed since, all with the same keys', async () => {
      const text = `UPDATE ${collection} SET updated_at = now() + interval '1 hour' WHERE organization_id = $1 AND id = $2`;
      const { organization, ids } = seeded[objectType];
      await gateway.database.query(organization.id, { text, values: [ids['a1']] });
      const answer = await list();
      expect(keysOf(answer)).toEqual(['e1', 'd1', 'c1', 'b1', 'a1']);
      for (const record of recordsIn(answer, subject)) expect(Object.keys(record).sort()).toEqual(baseKeys.toSorted());
    });
  });

  test('400: names every invalid parameter, not only the first', async () => {
    const answer = await list(`limit=0&fields=seats,nope&q=${'a'.repeat(201)}`);
    expect(answer.fieldsAtFault).toEqual(['fields', 'limit', 'q']);
  });
});

describe('the bound itself is accepted, and one more is 400:', () => {
  const wide = (length: number) => '😀'.repeat(length);
  const repeat = (length: number, of: unknown) => Array.from({ length }, () => of);
  const is = (value: unknown) => ({ field: 'name', operator: 'eq', value });
  const nested = (depth: number): unknown => (depth === 1 ? is('x') : { and: [nested(depth - 1)] });
  const sort = (length: number) => ['name', 'created_at', 'updated_at', 'version'].slice(0, length);
  const bounds: readonly (readonly [about: string, at: number, body: (length: number) => object, field: string])[] = [
    ['characters of query', 200, (n) => ({ query: wide(n) }), 'query'],
    ['characters of q', 200, (n) => ({ q: wide(n) }), 'q'],
    ['names in fields', 100, (n) => ({ fields: repeat(n, 'name') }), 'fields'],
    ['records of a page', 500, (n) => ({ limit: n }), 'limit'],
    ['keys of a sort', 3, (n) => ({ sort: sort(n) }), 'sort'],
    ['comparisons', 50, (n) => ({ filters: repeat(n, is('x')) }), 'filters'],
    ['nesting of filters', 5, (n) => ({ filters: nested(n) }), expect.stringMatching(/^filters/) as unknown as string],
    [
      'values in a list',
      200,
      (n) => ({ filters: [{ field: 'name', operator: 'in', value: repeat(n, 'x').map((_, i) => `x${i}`) }] }),
      'filters[0].value',
    ],
    ['characters of a value', 2_000, (n) => ({ filters: [is(wide(n))] }), 'filters[0].value'],
  ];
  const searches = [contracts.searchAccounts, contracts.searchContacts, contracts.searchOpportunities];
  test.each(searches.flatMap((contract) => bounds.map((bound) => [contract.id, ...bound, contract] as const)))(
    '%s: %s, %d',
    async (_id, _about, at, body, field, contract) => {
      const send = (n: number): Promise<Answer> => gateway.client.call(contract, { body: body(n) });
      expect([(await send(at)).status, (await send(at + 1)).fieldsAtFault]).toEqual([200, [field]]);
    },
  );

  test.each([contracts.listAccounts, contracts.listContacts])('$id: characters of q, 200', async (contract) => {
    const send = (n: number): Promise<Answer> => gateway.client.call(contract, { query: { q: wide(n) } });
    expect([(await send(200)).status, (await send(201)).fieldsAtFault]).toEqual([200, ['q']]);
  });
});

describe('400: every list', () => {
  const lists = contracts.readOperations.filter(({ id }) => id.startsWith('list') && id !== 'listEvents');

  test.each(lists)('$id refuses a limit or cursor that is not one, or is sent twice', async (contract) => {
    const { pipeline } = gateway.organization;
    const id = contract.path.startsWith('/v1/pipelines') ? pipeline.id : await recordOf(contract.path);
    const scope = contract.id === 'listOpportunities' ? `pipeline_id=${pipeline.id}&` : '';
    for (const query of ['limit=0', 'limit=501', 'limit=1e2', 'limit=1&limit=1', 'limit=&limit=1', 'cursor=x']) {
      const answer = await gateway.client.call(contract, { params: { id }, query: scope + query });
      expect([query, answer.status, answer.fieldsAtFault]).toEqual([query, 400, [query.slice(0, query.indexOf('='))]]);
    }
    // A blank parameter counts as not sent.
    const schema: object = contract.query ?? {};
    const parameters = Object.keys('properties' in schema ? (schema.properties as object) : {});
    const blank = parameters.filter((name) => name !== 'pipeline_id').map((name) => `${name}=`);
    const answer = await gateway.client.call(contract, { params: { id }, query: scope + blank.join('&') });
    expect([answer.status === 400, answer.fieldsAtFault]).toEqual([false, []]);
  });

  /** A record whose history a path asks for. */
  const recordOf = async (path: string): Promise<string> => {
    const { addAccount, addContact, addDeals } = gateway.records();
    if (path.startsWith('/v1/accounts/{id}')) return addAccount('listed.example', 'Listed');
    if (path.startsWith('/v1/contacts/{id}')) return addContact('listed@people.example', null, null);
    return (await addDeals([{ name: 'Listed' }]))[0] ?? '';
  };
});
