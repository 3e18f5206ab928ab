import type { OperationContract } from '@crm/contract';
import type { Answer } from '@crm/testing';
import { describe, expect, test } from '@jest/globals';
import type { TestGateway } from './gateway.js';
import { pageIn, type Subject } from './subject.js';

const leaf = (field: string, operator: string, value?: unknown) => ({ field, operator, value });
const good = leaf('seats', 'gt', 1);
const deep = (depth: number): object => (depth === 1 ? good : { not: deep(depth - 1) });

/** The 400s of a search of any object. */
export const describeSearchRefusals = (
  contract: OperationContract,
  subject: Subject,
  gateway: () => TestGateway,
): void => {
  const search = (body: object): Promise<Answer> => gateway().client.call(contract, { body });
  const expectRefusal = async (body: object, paths: readonly string[]): Promise<Answer> => {
    const answer = await search(body);
    expect({ status: answer.status, paths: answer.fieldsAtFault }).toEqual({ status: 400, paths });
    return answer;
  };

  describe('400: limit, words, fields and keys', () => {
    test.each([['10'], [''], [0], [-1], [501], [1.5], [true], [[10]], [{}], [1e9]])(
      'refuses the limit %j',
      async (limit) => {
        await expectRefusal({ limit }, ['limit']);
      },
    );

    test.each([['limit'], ['query'], ['q'], ['cursor'], ['fields'], ['filters'], ['sort']])(
      'refuses %s of a wrong type',
      async (name) => {
        await expectRefusal({ [name]: 7.5 }, [name]);
      },
    );

    test('refuses more than two hundred characters of words, under the name that was sent', async () => {
      const text = '😀'.repeat(201);
      await expectRefusal({ query: text }, ['query']);
      await expectRefusal({ q: text }, ['q']);
      expect((await search({ query: '😀'.repeat(200) })).status).toBe(200);
    });

    test('refuses query and q with different values', async () => {
      await expectRefusal({ query: 'a', q: 'b', sort: 'nope' }, ['q', 'sort']);
    });

    test('refuses each unknown key', async () => {
      await expectRefusal({ page: 1, offset: 2, Filters: [] }, ['Filters', 'offset', 'page']);
    });

    test('refuses unknown names in fields, and more than a hundred names', async () => {
      const answer = await expectRefusal({ fields: ['seats', 'nope', 'custom__nope'] }, ['fields']);
      expect(answer.errors['fields']).toContain('nope');
      await expectRefusal({ fields: Array.from({ length: 101 }, (_, index) => `f${index}`).join(',') }, ['fields']);
    });
  });

  describe('400: filters', () => {
    test.each<[string, unknown, string[]]>([
      ['an unknown field', [good, leaf('nope', 'eq', 1)], ['filters[1].field']],
      ['an operator that there is not', [leaf('seats', 'like', 1)], ['filters[0].operator']],
      ['an operator that does not fit the type', [good, good, leaf('seats', 'contains', '1')], ['filters[2].operator']],
      ['a value of the wrong type', leaf('seats', 'eq', '3'), ['filters.value']],
      ['null as a value', [leaf('motto', 'eq', null)], ['filters[0].value']],
      ['no value', [leaf('motto', 'eq')], ['filters[0].value']],
      ['a value for an operator that takes none', [leaf('motto', 'empty', 1)], ['filters[0].value']],
      ['an option that there is not', [leaf('tier', 'in', ['hot', 'lukewarm'])], ['filters[0].value[1]']],
      ['bounds the wrong way round', [leaf('seats', 'between', [3, 1])], ['filters[0].value']],
      ['a whole field of parts', [leaf('term', 'eq', '2026-01-01')], ['filters[0].operator']],
      ['a part that there is not', [leaf('term.middle', 'eq', '2026-01-01')], ['filters[0].field']],
      ['an instant in seconds', [leaf('created_at', 'gte', 1_760_000_000)], ['filters[0].value']],
      ['a key that is unknown', [{ ...good, negate: true }], ['filters[0].negate']],
      ['no node', [7], ['filters[0]']],
      ['an empty group', { or: [] }, ['filters.or']],
      ['two groups in one node', { or: [good], and: [good] }, ['filters']],
      ['a node six deep', deep(6), ['filters.not.not.not.not.not']],
    ])('refuses %s', async (_about, filters, paths) => {
      await expectRefusal({ filters }, paths);
    });

    test('refuses a number that would be rounded and names its path', async () => {
      for (const literal of ['1.0000000000000001', '9007199254740993', '999999999999.99998', '1e-400']) {
        const filters = `[{"field":"seats","operator":"in","value":[1,${literal}]}]`;
        const answer = await gateway().client.call(contract, { rawBody: `{"filters":${filters}}` });
        expect(answer.status).toBe(400);
        expect(answer.fieldsAtFault).toEqual(['filters[0].value[1]']);
      }
    });

    test('names every fault at once, including those of other parameters', async () => {
      const nested = { or: [leaf('nope', 'eq', 1), { not: leaf('seats', 'in', [1, 'x', null]) }] };
      const query = 'a'.repeat(201);
      await expectRefusal({ filters: [leaf('tier', 'gt', 'hot'), nested], sort: 'nope:up', query, fields: 'nope' }, [
        ...['fields', 'filters[0].operator', 'filters[1].or[0].field'],
        ...['filters[1].or[1].not.value[1]', 'filters[1].or[1].not.value[2]', 'query', 'sort'],
      ]);
    });

    test('accepts fifty comparisons, five levels, two hundred values and two thousand characters, and no more', async () => {
      const list = (length: number) => Array.from({ length }, (_, index) => index);
      const bounds: readonly [unknown, unknown, string][] = [
        [list(50).map(() => good), list(51).map(() => good), 'filters'],
        [deep(5), deep(6), 'filters.not.not.not.not.not'],
        [[leaf('seats', 'in', list(200))], [leaf('seats', 'in', list(201))], 'filters[0].value'],
        [[leaf('motto', 'eq', 'x'.repeat(2_000))], [leaf('motto', 'eq', 'x'.repeat(2_001))], 'filters[0].value'],
      ];
      for (const [taken, refused, path] of bounds) {
        expect((await search({ filters: taken })).status).toBe(200);
        await expectRefusal({ filters: refused }, [path]);
      }
    });
  });

  describe('400: sort', () => {
    test.each<[string, unknown, string[]]>([
      ['an unknown field', 'nope', ['sort']],
      ['an unknown direction', 'seats:up', ['sort']],
      ['a direction in upper case', { field: 'seats', direction: 'DESC' }, ['sort.direction']],
      ['a field of several values', [{ field: 'tags' }], ['sort[0].field']],
      ['a whole field of parts', ['seats', 'term'], ['sort[1]']],
      ['one field twice', ['seats', 'custom__seats:desc'], ['sort[1]']],
      ['four keys', ['seats', 'motto', 'tier', 'id'], ['sort']],
      ['an unknown key', { field: 'seats', nulls: 'first' }, ['sort']],
      ['no field', {}, ['sort.field']],
    ])('refuses %s', async (_about, sort, paths) => {
      await expectRefusal({ sort }, paths);
    });
  });

  describe('400: SQL in names', () => {
    const attacks = [
      `seats'; DROP TABLE ${subject.collection}; --`,
      'seats" IS NULL OR 1=1 --',
      `custom__seats') OR TRUE --`,
      '__proto__',
      'constructor',
      'r.organization_id',
      'organization_id',
      'search_text',
      "term.start' --",
      '$1',
    ];
    test.each(attacks)('refuses %s as a field to filter, sort or show', async (name) => {
      const before = (await search({})).text;
      await expectRefusal({ filters: [leaf(name, 'eq', 'x')] }, ['filters[0].field']);
      await expectRefusal({ sort: { field: name } }, ['sort.field']);
      await expectRefusal({ fields: [name] }, ['fields']);
      expect((await search({})).text).toBe(before);
    });
  });

  describe('400: cursor', () => {
    test('refuses a cursor of another search, and an invalid one', async () => {
      const cursor = pageIn(await search({ limit: 1 })).next_cursor ?? '';
      expect((await search({ limit: 1, cursor })).status).toBe(200);
      const changes = [
        { query: 'o' },
        { filters: [good] },
        { sort: 'created_at' },
        { sort: 'updated_at' },
        { limit: 2 },
        { cursor: `${cursor.slice(0, -1)}${cursor.endsWith('A') ? 'B' : 'A'}` },
        { cursor: `${cursor}=` },
        { cursor: 'null' },
      ];
      for (const change of changes) await expectRefusal({ limit: 1, cursor, ...change }, ['cursor']);
    });
  });
};
