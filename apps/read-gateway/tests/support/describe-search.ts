import type { OperationContract } from '@crm/contract';
import type { Answer } from '@crm/testing';
import { describe, expect, test } from '@jest/globals';
import type { TestGateway } from './gateway.js';
import { visibleSlugs } from './seed-subject.js';
import { pageIn, recordsIn, type Subject } from './subject.js';

/** The common answers of a search of any object. `ids` are those of the seeded records by key. */
export const describeSearch = (
  contract: OperationContract,
  subject: Subject,
  gateway: () => TestGateway,
  ids: () => Readonly<Record<string, string>>,
): void => {
  const search = (body: object): Promise<Answer> => gateway().client.call(contract, { body });
  const keysOf = (answer: Answer): readonly (string | undefined)[] => {
    const names = new Map(Object.entries(ids()).map(([key, id]) => [id, key]));
    return recordsIn(answer, subject).map(({ id }) => names.get(id));
  };
  const find = async (body: object): Promise<readonly (string | undefined)[]> => keysOf(await search(body));
  const inOrder = (body: object) => find({ sort: 'created_at', ...body });

  describe('200: the page', () => {
    test('contains everything for an empty body, last changed first', async () => {
      expect(await find({})).toEqual(['e1', 'd1', 'c1', 'b1', 'a1']);
      const text = `UPDATE ${subject.collection} SET updated_at = now() + interval '1 hour' WHERE organization_id = $1 AND id = $2`;
      await gateway().database.query(gateway().organization.id, { text, values: [ids()['b1']] });
      expect(await find({})).toEqual(['b1', 'e1', 'd1', 'c1', 'a1']);
    });

    test('has the same keys in every record', async () => {
      for (const record of recordsIn(await search({}), subject))
        expect(Object.keys(record).sort()).toEqual([...subject.baseKeys].sort());
    });

    test('is the same if parameters are null or absent', async () => {
      const nulls = { query: null, q: null, filters: null, sort: null, limit: null, cursor: null, fields: null };
      expect((await search(nulls)).data).toEqual((await search({})).data);
    });

    test('is the same if query, cursor, filters and sort are blank or empty', async () => {
      const blanks = { query: ' \t', q: '', filters: [], sort: [], cursor: ' ' };
      expect((await search(blanks)).data).toEqual((await search({})).data);
    });

    test('has the requested limit, by default a hundred, and leads to all records by its cursor', async () => {
      expect(pageIn(await search({})).limit).toBe(100);
      const first = await search({ sort: 'created_at', limit: 2 });
      expect(pageIn(first)).toMatchObject({ limit: 2, has_more: true });
      const second = await search({ sort: 'created_at', limit: 2, cursor: pageIn(first).next_cursor });
      const third = await search({ sort: 'created_at', limit: 2, cursor: pageIn(second).next_cursor });
      expect([...keysOf(first), ...keysOf(second), ...keysOf(third)]).toEqual(['a1', 'b1', 'c1', 'd1', 'e1']);
      expect(pageIn(third)).toMatchObject({ has_more: false, next_cursor: null });
      expect(pageIn(await search({ limit: 5 }))).toMatchObject({ has_more: false, next_cursor: null });
      expect(pageIn(await search({ limit: 500 })).limit).toBe(500);
    });

    test('accepts its cursor in another spelling of the same search', async () => {
      const filters = [{ field: 'seats', operator: 'in', value: [3, 10, -1.5] }];
      const cursor = pageIn(await search({ filters, sort: 'seats:asc', limit: 2 })).next_cursor;
      const value = [-1.5, 10, 3, 3];
      const body = { filters: { value, operator: 'is_any_of', field: 'custom__seats' }, limit: 2, cursor };
      expect(await find({ ...body, sort: [{ field: 'custom__seats', direction: 'asc' }] })).toHaveLength(2);
      expect(await find({ ...body, sort: 'seats', fields: 'motto' })).toHaveLength(2);
    });
  });

  describe('200: query', () => {
    test.each([
      ['one word', 'TWO', ['b1', 'e1']],
      ['several words in any order', 'two EPS', ['e1']],
      ['a piece of the natural key', 'c1', ['c1']],
      ['a percent sign as it stands', '%', ['c1']],
      ['an underscore as it stands', 'a_x', ['d1']],
      ['nothing that occurs', 'zzz', []],
    ])('finds %s', async (_about, query, found) => {
      expect(await inOrder({ query })).toEqual(found);
      expect(await inOrder({ q: query })).toEqual(found);
      expect(await inOrder({ q: query, query })).toEqual(found);
    });
  });

  describe('200: filters', () => {
    const leaf = (field: string, operator: string, value?: unknown) => ({ field, operator, value });
    test.each<[string, unknown, string[]]>([
      ['a list, of which all must hold', [leaf('tier', 'eq', 'hot'), leaf('seats', 'gt', 0)], ['a1']],
      ['one node', leaf('custom__tier', 'is', 'HOT'), ['a1', 'e1']],
      ['or', { or: [leaf('seats', 'eq', 10), leaf('tier', 'eq', 'cold')] }, ['b1', 'c1']],
      [
        'or, of parts of one text',
        { or: ['%', '_', 'SSE', 'RÖß'].map((part) => leaf('motto', 'contains', part)) },
        ['a1', 'c1'],
      ],
      [
        'or, of the places of a part',
        {
          or: [
            leaf('motto', 'starts_with', 'x😁'),
            leaf('motto', 'ends_with', 'SSER'),
            leaf('motto', 'ends_with', 'ßER'),
          ],
        },
        ['b1', 'c1'],
      ],
      ['not, which matches records without a value', { not: leaf('seats', 'eq', 3) }, ['b1', 'c1', 'e1']],
      ['neq, which does too', leaf('seats', 'is_not', 3), ['b1', 'c1', 'e1']],
      ['a comparison, which does not', leaf('seats', 'lte', 3), ['a1', 'd1', 'e1']],
      ['text by its normalized text', leaf('motto', 'starts_with', 'GRÖSS'), []],
      ['text by its normalized text in upper case', leaf('motto', 'starts_with', 'GRÖß'), ['a1', 'c1']],
      ['characters of two units, at the end', leaf('motto', 'ends_with', '😀'), ['b1']],
      ['characters of two units, at the start', leaf('motto', 'starts_with', 'X😁'), ['b1']],
      ['empty: null, the empty text', leaf('motto', 'empty'), ['d1', 'e1']],
      ['empty: null, the empty list', leaf('tags', 'empty', null), ['b1', 'c1', 'd1', 'e1']],
      ['a hidden field', leaf('secret', 'eq', 's'), ['a1']],
      ['a part of a field', leaf('term.start', 'before', '2026-01-02'), ['b1']],
      ['a name in another case', leaf('name', 'contains', 'PSIL'), ['e1']],
      ['a list of values in another order', leaf('tags', 'eq', ['cold', 'hot']), ['a1']],
      ['nested nodes', { and: [{ or: [leaf('tier', 'eq', 'hot')] }, { not: leaf('seats', 'lt', 0) }] }, ['a1']],
      [
        'keys that mean nothing here, as null',
        { ...leaf('tier', 'eq', 'cold'), and: null, or: null, not: null },
        ['c1'],
      ],
    ])('match by %s', async (_about, filters, found) => {
      expect(await inOrder({ filters })).toEqual(found);
    });

    test('match the instants within a day', async () => {
      // Midnight may have passed between the creations.
      const answer = await search({ sort: 'created_at', fields: 'created_at' });
      const days = recordsIn(answer, subject).map(({ created_at }) => String(created_at).slice(0, 10));
      const [day = ''] = days;
      expect(await inOrder({ filters: [leaf('created_at', 'eq', day)] })).toHaveLength(
        days.filter((other) => other === day).length,
      );
      expect(await inOrder({ filters: [leaf('created_at', 'before', day)] })).toEqual([]);
    });
  });

  describe('200: sort', () => {
    test.each<[string, unknown, string[]]>([
      ['a name alone rises', 'seats', ['e1', 'a1', 'd1', 'b1', 'c1']],
      ['a name and a direction', 'seats:desc', ['b1', 'd1', 'a1', 'e1', 'c1']],
      ['an object', { field: 'custom__seats', direction: 'desc' }, ['b1', 'd1', 'a1', 'e1', 'c1']],
      ['several keys', ['seats', { field: 'created_at', direction: 'desc' }], ['e1', 'd1', 'a1', 'b1', 'c1']],
      ['text in code-point order of its normalized text', 'name', ['a1', 'b1', 'd1', 'e1', 'c1']],
      ['a part', 'term.start:desc', ['b1', 'e1', 'd1', 'c1', 'a1']],
    ])('%s; records without a value come last', async (_about, sort, found) => {
      expect(await find({ sort })).toEqual(found);
    });
  });

  describe('200: fields', () => {
    const slugsOf = (answer: Answer) => Object.keys(pageIn(answer).custom_field_definitions);
    const first = (answer: Answer) => recordsIn(answer, subject)[0];
    const ofFirst = (body: object) => search({ sort: 'created_at', ...body });

    test('returns all visible custom fields in records and definitions by default', async () => {
      const answer = await ofFirst({});
      expect(slugsOf(answer)).toEqual(visibleSlugs);
      expect(first(answer)?.custom_fields).toEqual({ tier: 'hot', seats: 3, motto: 'Größe', tags: ['hot', 'cold'] });
    });

    test.each([
      ['a text', 'motto,seats'],
      ['a text with spaces', ' motto , seats '],
      ['a list', ['seats', 'custom__motto']],
      ['a list of lists', ['seats,motto']],
    ])('returns only the fields of %s in both', async (_about, fields) => {
      const answer = await ofFirst({ fields });
      expect(slugsOf(answer)).toEqual(['seats', 'motto']);
      expect(first(answer)?.custom_fields).toEqual({ seats: 3, motto: 'Größe' });
    });

    test('returns a hidden field if it is named', async () => {
      const answer = await ofFirst({ fields: ['secret'] });
      expect(slugsOf(answer)).toEqual(['secret']);
      expect(first(answer)?.custom_fields).toEqual({ secret: 'S' });
    });

    test('adds extra fields that are named to the keys of every record', async () => {
      const answer = await ofFirst({ fields: [...subject.extraKeys, 'custom_fields'] });
      expect(Object.keys(first(answer) ?? {}).sort()).toEqual([...subject.baseKeys, ...subject.extraKeys].sort());
      expect(slugsOf(answer)).toEqual(visibleSlugs);
    });
  });
};
