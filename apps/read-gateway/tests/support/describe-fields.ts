import type { OperationContract } from '@crm/contract';
import { describe, expect, test } from '@jest/globals';
import type { TestGateway } from './gateway.js';
import type { Subject } from './subject.js';

interface WireField {
  readonly name: string;
  readonly current_name: string;
  readonly property_name: string;
  readonly attribute_type: string;
  readonly metadata: object | null;
  readonly is_custom: boolean;
  readonly is_hidden?: boolean;
}

interface FieldPage {
  readonly fields: readonly WireField[];
  readonly has_more: boolean;
  readonly next_cursor: string | null;
  readonly limit: number;
}

/** The common answers of the list of an object's fields, on an organization with the seeded fields. */
export const describeFields = (contract: OperationContract, subject: Subject, gateway: () => TestGateway): void => {
  const ask = (query = '') => gateway().client.call(contract, { query });
  const list = async (query = ''): Promise<FieldPage> => (await ask(query)).data as FieldPage;
  const customSlugs = ['tier', 'seats', 'motto', 'secret', 'term', 'office', 'tags'];
  const systemNames = [...subject.baseKeys.filter((key) => key !== 'custom_fields'), ...subject.extraKeys];

  describe('200', () => {
    test('lists every system field, then every custom field in order, including hidden ones', async () => {
      const { fields, ...page } = await list();
      expect(page).toEqual({ has_more: false, next_cursor: null, limit: 100 });
      const names = fields.map(({ name }) => name);
      expect(names.slice(0, systemNames.length).sort()).toEqual([...systemNames].sort());
      expect(names.slice(systemNames.length)).toEqual(customSlugs);
      expect(fields.map((field) => field.is_custom)).toEqual(names.map((name) => customSlugs.includes(name)));
      expect(fields.filter((field) => field.is_hidden).map(({ name }) => name)).toEqual(['secret']);
    });

    test('names a custom field custom__slug and a system field by its key; options have label, value and color', async () => {
      const { fields } = await list();
      expect(fields.find(({ name }) => name === 'created_at')).toMatchObject({
        current_name: 'Created at',
        property_name: 'created_at',
        attribute_type: 'datetime',
        metadata: null,
      });
      expect(fields.find(({ name }) => name === 'tier')).toMatchObject({
        current_name: 'tier',
        property_name: 'custom__tier',
        attribute_type: 'select',
        metadata: { options: ['hot', 'cold'].map((value) => ({ label: value.toUpperCase(), value, color: 'red' })) },
        is_hidden: false,
      });
    });

    test('lists names and property names that fields accepts', async () => {
      const { fields } = await list();
      const names = fields.flatMap((field) => [field.name, field.property_name]).join(',');
      const answer = await gateway().client.send('POST', `/v1/${subject.collection}/search`, {
        body: { fields: names },
      });
      expect(answer.status).toBe(200);
    });

    test('shows each field once and in order in pages of any size', async () => {
      const whole = (await list()).fields.map(({ name }) => name);
      for (const limit of [1, 4, 500]) {
        const walked: string[] = [];
        let cursor: string | null = '';
        while (cursor !== null) {
          const page: FieldPage = await list(`limit=${limit}&cursor=${cursor}`);
          expect(page).toMatchObject({ limit, has_more: page.next_cursor !== null });
          walked.push(...page.fields.map(({ name }) => name));
          cursor = page.next_cursor;
        }
        expect(walked).toEqual(whole);
      }
    });

    test('lists only the system fields for another organization', async () => {
      const answer = await gateway().clientOf(gateway().stranger).call(contract);
      expect((answer.data as FieldPage).fields.filter((field) => field.is_custom)).toEqual([]);
    });
  });

  describe('400', () => {
    test.each(['limit=0', 'limit=501', 'limit=x', 'cursor=x', 'q=a', 'fields=tier', 'limit=1&limit=2'])(
      'refuses %s and names the parameter',
      async (query) => {
        const answer = await ask(query);
        expect(answer.status).toBe(400);
        expect(answer.fieldsAtFault).toEqual([query.slice(0, query.indexOf('='))]);
      },
    );

    test('refuses a cursor of another limit, list or organization', async () => {
      const cursor = (await list('limit=2')).next_cursor ?? '';
      expect((await ask(`limit=3&cursor=${cursor}`)).fieldsAtFault).toEqual(['cursor']);
      const query = `limit=2&cursor=${cursor}`;
      const ofOther = await gateway().clientOf(gateway().stranger).call(contract, { query });
      expect(ofOther.fieldsAtFault).toEqual(['cursor']);
      expect((await gateway().client.send('GET', '/v1/pipelines', { query })).fieldsAtFault).toEqual(['cursor']);
    });
  });
};
