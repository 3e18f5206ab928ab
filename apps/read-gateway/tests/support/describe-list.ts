import type { OperationContract } from '@crm/contract';
import type { Answer } from '@crm/testing';
import { describe, expect, test } from '@jest/globals';
import type { TestGateway } from './gateway.js';
import { visibleSlugs } from './seed-subject.js';
import { pageIn, recordsIn, type Subject } from './subject.js';

/** The common answers of the lists of accounts and contacts. `ids` are those of the seeded records by key. */
export const describeList = (
  contract: OperationContract,
  subject: Subject,
  gateway: () => TestGateway,
  ids: () => Readonly<Record<string, string>>,
): void => {
  const list = (query = ''): Promise<Answer> => gateway().client.call(contract, { query });
  const keysOf = (answer: Answer) => {
    const names = new Map(Object.entries(ids()).map(([key, id]) => [id, key]));
    return recordsIn(answer, subject).map(({ id }) => names.get(id));
  };
  const slugsOf = (answer: Answer) => Object.keys(pageIn(answer).custom_field_definitions);

  describe('200: the page', () => {
    test('is empty for an organization without records', async () => {
      const answer = await gateway().clientOf(gateway().stranger).call(contract);
      expect(answer.data).toEqual({
        [subject.collection]: [],
        custom_field_definitions: {},
        has_more: false,
        next_cursor: null,
        limit: 100,
      });
    });

    test('sorts the newest first, even if older records changed since', async () => {
      const text = `UPDATE ${subject.collection} SET updated_at = now() + interval '1 hour' WHERE organization_id = $1 AND id = $2`;
      await gateway().database.query(gateway().organization.id, { text, values: [ids()['a1']] });
      expect(keysOf(await list())).toEqual(['e1', 'd1', 'c1', 'b1', 'a1']);
    });

    test('has the same keys in every record', async () => {
      for (const record of recordsIn(await list(), subject))
        expect(Object.keys(record).sort()).toEqual([...subject.baseKeys].sort());
    });

    test('leads to all records by its cursor, whatever the fields', async () => {
      const first = await list('limit=2');
      expect(pageIn(first)).toMatchObject({ limit: 2, has_more: true });
      const second = await list(`limit=2&fields=motto&cursor=${pageIn(first).next_cursor ?? ''}`);
      const third = await list(`limit=2&cursor=${pageIn(second).next_cursor ?? ''}`);
      expect([...keysOf(first), ...keysOf(second), ...keysOf(third)]).toEqual(['e1', 'd1', 'c1', 'b1', 'a1']);
      expect(pageIn(third)).toMatchObject({ has_more: false, next_cursor: null });
      expect(pageIn(await list('limit=500')).limit).toBe(500);
    });

    test('treats a blank q or cursor as absent', async () => {
      expect((await list('q=%20&cursor=')).data).toEqual((await list()).data);
    });
  });

  describe('200: q', () => {
    test.each([
      ['TWO', ['e1', 'b1']],
      ['two+eps', ['e1']],
      ['d1', ['d1']],
      ['%25', ['c1']],
      ['_', ['d1']],
      ['zzz', []],
    ])('finds the records with %s', async (q, found) => {
      expect(keysOf(await list(`q=${q}`))).toEqual(found);
    });
  });

  describe('200: fields', () => {
    const oldest = (answer: Answer) => recordsIn(answer, subject).at(-1);

    test('returns all visible custom fields in records and definitions by default', async () => {
      const answer = await list();
      expect(slugsOf(answer)).toEqual(visibleSlugs);
      expect(oldest(answer)?.custom_fields).toEqual({ tier: 'hot', seats: 3, motto: 'Größe', tags: ['hot', 'cold'] });
    });

    test.each([
      'fields=motto,seats',
      'fields=seats&fields=custom__motto',
      'fields[]=motto&fields[]=seats',
      'fields%5B%5D=seats,%20motto&fields=motto',
    ])('returns only the fields of %s in both', async (query) => {
      const answer = await list(query);
      expect(slugsOf(answer)).toEqual(['seats', 'motto']);
      expect(oldest(answer)?.custom_fields).toEqual({ seats: 3, motto: 'Größe' });
    });

    test('returns a hidden field and an extra field if they are named', async () => {
      const answer = await list('fields=secret,version');
      expect(slugsOf(answer)).toEqual(['secret']);
      expect(oldest(answer)).toMatchObject({ custom_fields: { secret: 'S' }, version: 1 });
    });

    test('returns every extra field if it is named', async () => {
      const answer = await list(`fields=${subject.extraKeys.join(',')}`);
      expect(Object.keys(oldest(answer) ?? {}).sort()).toEqual([...subject.baseKeys, ...subject.extraKeys].sort());
      expect(oldest(answer)?.custom_fields).toEqual({});
      expect(slugsOf(answer)).toEqual([]);
    });

    test('treats an empty list as absent', async () => {
      expect((await list('fields=')).data).toEqual((await list()).data);
    });
  });

  describe('400', () => {
    test.each([
      ...['limit=0', 'limit=501', 'limit=1e2', 'limit=0x10', 'limit=%205', 'limit=', 'limit=1.5', 'limit=10&limit=10'],
      ...['fields=nope', 'fields=seats,custom__nope', 'cursor=x', 'q=a&q=b', `q=${'a'.repeat(201)}`, 'q=%00', 'q=%ff'],
      ...['sort=name', 'filters=x', 'offset=1', 'Q=a', 'pipeline_id=01890000-0000-7000-8000-000000000000'],
    ])('refuses %.40s and names the parameter', async (query) => {
      const answer = await list(query);
      expect(answer.status).toBe(400);
      expect(answer.fieldsAtFault).toEqual([query.slice(0, query.indexOf('='))]);
    });

    test('names every invalid parameter, not only the first', async () => {
      const answer = await list(`limit=0&fields=nope&q=${'a'.repeat(201)}`);
      expect(answer.fieldsAtFault).toEqual(['fields', 'limit', 'q']);
    });

    test('refuses a cursor of another list, query or limit', async () => {
      const cursor = pageIn(await list('limit=2')).next_cursor ?? '';
      for (const query of ['limit=3&', 'limit=2&q=o&', '']) {
        expect((await list(`${query}cursor=${cursor}`)).fieldsAtFault).toEqual(['cursor']);
      }
      const path = subject.objectType === 'account' ? '/v1/contacts' : '/v1/accounts';
      const other = await gateway().client.send('GET', path, { query: `limit=2&cursor=${cursor}` });
      expect(other.fieldsAtFault).toEqual(['cursor']);
    });
  });
};
