import type { OperationContract } from '@crm/contract';
import type { Answer, TestOrganization } from '@crm/testing';
import { describe, expect, test } from '@jest/globals';
import type { TestGateway } from './gateway.js';
import { seededRecords, visibleSlugs } from './seed-subject.js';
import { addRecord, type Subject, type WireRecord } from './subject.js';

const unknownId = '01890000-0000-7000-8000-000000000000';

/** The common answers of the get of any object. `ids` are those of the seeded records by key. */
export const describeGet = (
  contract: OperationContract,
  subject: Subject,
  gateway: () => TestGateway,
  ids: () => Readonly<Record<string, string>>,
): void => {
  const pathOf = (id: string): string => contract.path.replace('{id}', id);
  const get = (id: string, query = ''): Promise<Answer> => gateway().client.send('GET', pathOf(id), { query });
  const dataOf = (answer: Answer) => {
    const data = answer.data as Readonly<Record<string, unknown>>;
    return {
      record: data[subject.objectType] as WireRecord,
      slugs: Object.keys(data['custom_field_definitions'] as object),
      keys: Object.keys(data),
    };
  };
  const update = (organization: TestOrganization, id: string, set: string) =>
    gateway().database.query(organization.id, {
      text: `UPDATE ${subject.collection} SET ${set} WHERE organization_id = $1 AND id = $2`,
      values: [id],
    });

  describe('200', () => {
    test('returns every system field and visible custom field', async () => {
      for (const { key, custom = {} } of seededRecords) {
        const { record, slugs, keys } = dataOf(await get(ids()[key] ?? ''));
        expect(keys).toEqual([subject.objectType, 'custom_field_definitions']);
        expect(Object.keys(record).sort()).toEqual([...subject.baseKeys, ...subject.extraKeys].sort());
        expect(record.id).toBe(ids()[key]);
        const visible = Object.entries(custom).filter(([slug]) => visibleSlugs.includes(slug));
        expect(record.custom_fields).toEqual(Object.fromEntries(visible));
        expect(slugs).toEqual(visibleSlugs);
      }
    });

    test('accepts an id in upper case', async () => {
      const id = ids()['a1'] ?? '';
      expect((await get(id.toUpperCase())).text).toBe((await get(id)).text);
    });

    test.each(['fields=motto,created_at', 'fields=created_at&fields=custom__motto', 'fields[]=created_at,motto'])(
      'returns only the fields and definitions of %s',
      async (query) => {
        const { record, slugs } = dataOf(await get(ids()['a1'] ?? '', query));
        expect(Object.keys(record).sort()).toEqual([...subject.baseKeys, 'created_at'].sort());
        expect(record.custom_fields).toEqual({ motto: 'Größe' });
        expect(slugs).toEqual(['motto']);
      },
    );

    test('returns a hidden field that is named', async () => {
      const { record, slugs } = dataOf(await get(ids()['a1'] ?? '', 'fields=secret'));
      expect(record.custom_fields).toEqual({ secret: 'S' });
      expect(slugs).toEqual(['secret']);
    });

    test('has the version as its ETag, whatever the fields', async () => {
      const id = ids()['b1'] ?? '';
      expect((await get(id)).headers.get('etag')).toBe('"1"');
      await update(gateway().organization, id, 'version = 7');
      expect((await get(id)).headers.get('etag')).toBe('"7"');
      const narrowed = await get(id, 'fields=version');
      expect(narrowed.headers.get('etag')).toBe('"7"');
      expect(dataOf(narrowed).record['version']).toBe(7);
    });

    test('returns instants in UTC with milliseconds', async () => {
      const id = ids()['c1'] ?? '';
      await update(gateway().organization, id, `created_at = '2026-01-02T03:04:05.06+02:00'`);
      expect(dataOf(await get(id)).record['created_at']).toBe('2026-01-02T01:04:05.060Z');
    });
  });

  describe('400', () => {
    test.each([
      'x',
      '1',
      `${unknownId}0`,
      `{${unknownId}}`,
      unknownId.replaceAll('-', ''),
      '%00',
      '%20',
      "' OR 1=1 --",
    ])('refuses the malformed id %s', async (id) => {
      const answer = await get(encodeURI(id).replace('%2500', '%00').replace('%2520', '%20'));
      expect(answer.status).toBe(400);
      expect(answer.fieldsAtFault).toEqual(['id']);
    });

    test.each(['fields=nope', 'limit=1', 'cursor=x', 'q=a'])('refuses the query %s', async (query) => {
      const answer = await get(ids()['a1'] ?? '', query);
      expect(answer.status).toBe(400);
      expect(answer.fieldsAtFault).toEqual([query.slice(0, query.indexOf('='))]);
    });

    test('names a malformed id and an unknown parameter together', async () => {
      expect((await get('x', 'limit=1')).fieldsAtFault).toEqual(['id', 'limit']);
    });
  });

  describe('404', () => {
    test('answers an unknown id and one of another organization with the same bytes', async () => {
      const record = { key: 'foreign', name: 'Foreign' };
      const { database, stranger } = gateway();
      const foreign = await addRecord(database, stranger, subject.objectType, record);
      const unknown = await get(unknownId);
      expect(unknown.status).toBe(404);
      expect((await get(foreign)).comparable).toBe(unknown.comparable);
      const ofOther = await gateway().clientOf(stranger).send('GET', pathOf(foreign));
      expect(dataOf(ofOther).record.id).toBe(foreign);
    });

    test('answers the id of another object’s record as unknown', async () => {
      const other = subject.objectType === 'account' ? 'contact' : 'account';
      const { database, organization } = gateway();
      const id = await addRecord(database, organization, other, { key: 'another', name: null });
      expect((await get(id)).comparable).toBe((await get(unknownId)).comparable);
    });
  });
};
