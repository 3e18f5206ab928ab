import { describe, expect, it } from '@jest/globals';
import { errorCatalogue, systemFields } from '@crm/domain';
import { bodyBytes, bulkBodyBytes } from '../bounds.js';
import { Account, Contact, Opportunity } from '../index.js';
import { compileOperation } from '../validation.js';
import { hasErrorText } from '../validate/error-text.js';
import { isRecord } from '../validate/schema-walk.js';
import { describedOperations } from './all.js';

const examplesOf = (schema: unknown): unknown[] => (schema as { examples?: unknown[] }).examples ?? [];

/** Keywords that constrain nothing by themselves, or whose texts are in `field-errors.ts`. */
const silent = new Set([
  ...['title', 'description', 'examples', 'default', 'x-document', 'items', 'properties', 'patternProperties'],
  ...['additionalProperties', 'required', 'allOf'],
]);

const keywordsOf = (schema: Readonly<Record<string, unknown>>): string[] =>
  Object.entries(schema).flatMap(([keyword, value]) => {
    if (keyword === 'properties' || keyword === 'patternProperties') {
      return [keyword, ...Object.values(value as Record<string, Record<string, unknown>>).flatMap(keywordsOf)];
    }
    return keyword === 'items' && isRecord(value) ? [keyword, ...keywordsOf(value)] : [keyword];
  });

describe('every operation', () => {
  it('has a unique id and a unique route', () => {
    expect(new Set(describedOperations.map(({ id }) => id)).size).toBe(describedOperations.length);
    const routes = describedOperations.map(({ method, path }) => `${method} ${path}`);
    expect(new Set(routes).size).toBe(describedOperations.length);
  });

  it.each(describedOperations.map((contract) => [contract.id, contract] as const))(
    '%s is complete and consistent, and uses only keywords with error texts',
    (_id, contract) => {
      const { params, query, body, item } = compileOperation(contract);
      expect(contract.path.includes('{')).toBe(params !== undefined);
      expect(query({ surely_unknown: '1' })).toMatchObject({ surely_unknown: 'is not a known parameter' });
      if (body !== undefined) {
        expect(examplesOf(contract.body).length).toBeGreaterThan(0);
        for (const example of examplesOf(contract.body)) {
          expect(body(example)).toBeNull();
          for (const each of (example as { items?: unknown[] }).items ?? []) expect(item?.(each)).toBeNull();
        }
      }
      expect(contract.maxBodyBytes ?? bodyBytes).toBe(item === undefined ? bodyBytes : bulkBodyBytes);
      for (const schema of [contract.params, contract.query, contract.body, contract.item]) {
        const used = keywordsOf((schema ?? {}) as Record<string, unknown>).filter((keyword) => !silent.has(keyword));
        expect(used.filter((keyword) => !hasErrorText(keyword))).toEqual([]);
      }
    },
  );

  it('declares only statuses of the error catalogue', () => {
    const known = new Set<number>(Object.values(errorCatalogue).map(({ status }) => status));
    const declared = describedOperations.flatMap(({ errors }) => errors ?? []);
    expect(declared.filter((status) => !known.has(status))).toEqual([]);
  });
});

describe('every record', () => {
  it.each([
    ['opportunity', Opportunity],
    ['account', Account],
    ['contact', Contact],
  ] as const)('of an %s has the system fields of that object', (objectType, schema) => {
    const fields = systemFields[objectType];
    const always = fields.filter((field) => field.always).map(({ name }) => name);
    expect(Object.keys(schema.properties).sort()).toEqual([...fields.map(({ name }) => name), 'custom_fields'].sort());
    expect([...((schema as { required?: string[] }).required ?? [])].sort()).toEqual(
      [...always, 'custom_fields'].sort(),
    );
  });
});
