import { describe, expect, it } from '@jest/globals';
import { definitionOf } from '../../tests/definition-fixture.js';
import { ApiError, ErrorCollector } from '../errors.js';
import type { CustomFieldDefinition } from './definition.js';
import { runAtOnce } from '../steps.js';
import { maxCustomValues, parseCustomValues } from './parse-values.js';

const references = { findMemberId: () => undefined };
const bySlug = (...definitions: CustomFieldDefinition[]) =>
  new Map(definitions.map((definition) => [definition.slug, definition]));

const definitions = bySlug(
  definitionOf('string', { slug: 'source' }),
  definitionOf('number', { slug: 'seats' }),
  definitionOf('string', { slug: 'custom__odd' }),
  definitionOf('string', { slug: 'secret', isHidden: true }),
  definitionOf('string', { slug: 'sales_only', pipelineIds: ['sales'] }),
  definitionOf('string', { slug: 'sales_too', pipelineIds: ['sales'] }),
);

const read = (input: Record<string, unknown>, path = 'opportunity', pipelineId: string | null = 'sales') => {
  const errors = new ErrorCollector();
  const values = runAtOnce(
    parseCustomValues({ definitions, input, references, path, errors, pipelineId, conditions: [] }),
  );
  try {
    errors.throwIfAny();
    return { values: Object.fromEntries(values), errors: {} };
  } catch (error) {
    return { values: Object.fromEntries(values), errors: error instanceof ApiError ? error.errors : error };
  }
};

describe('parseCustomValues', () => {
  it('reads both forms and ignores all other keys', () => {
    const input = { name: 5, custom_fields: { source: 'Web', seats: null }, custom__secret: 'x', sales_only: 1 };
    expect(read(input)).toEqual({ values: { source: 'Web', seats: null, secret: 'x' }, errors: {} });
  });

  it('accepts a slug that begins with custom__', () => {
    expect(read({ custom__custom__odd: 'a' }).values).toEqual({ custom__odd: 'a' });
    expect(read({ custom_fields: { custom__odd: 'a' } }).values).toEqual({ custom__odd: 'a' });
  });

  it('treats null custom_fields as absent', () => {
    expect(read({})).toEqual({ values: {}, errors: {} });
    expect(read({ custom_fields: null, custom__source: undefined })).toEqual({ values: {}, errors: {} });
  });

  it('names every fault at once, on the path of the key that was sent', () => {
    const input = {
      custom_fields: { source: 5, nope: 1, sales_only: 'x' },
      custom__seats: '12',
      custom__nope_either: null,
      custom__sales_too: null,
    };
    expect(read(input, '', 'support').errors).toEqual({
      'custom_fields.source': 'must be a string',
      'custom_fields.nope': 'is not a custom field of this object',
      'custom_fields.sales_only': 'is not a field of this pipeline',
      custom__seats: 'must be a number',
      custom__nope_either: 'is not a custom field of this object',
      custom__sales_too: 'is not a field of this pipeline',
    });
    expect(Object.keys(read(input, 'items[3].opportunity').errors as object)).toContain(
      'items[3].opportunity.custom_fields.nope',
    );
    expect(Object.keys(read(input).errors as object)).toContain('opportunity.custom__seats');
  });

  it('refuses a field sent in both forms, even with null or equal values', () => {
    const { errors } = read({ custom_fields: { source: 'Web', seats: 1 }, custom__source: 'Web', custom__seats: null });
    expect(errors).toEqual({
      'opportunity.custom__source': expect.stringContaining('twice'),
      'opportunity.custom__seats': expect.stringContaining('twice'),
    });
  });

  it.each([[[]], ['source']])('refuses custom_fields %j', (customFields) => {
    expect(read({ custom_fields: customFields }).errors).toEqual({
      'opportunity.custom_fields': 'must be an object of custom field slugs and values',
    });
  });

  it.each(['__proto__', 'toString', ''])('does not take %j for a field', (slug) => {
    const input = JSON.parse(
      `{"custom_fields": {${JSON.stringify(slug)}: {"polluted": true}}, ${JSON.stringify(`custom__${slug}`)}: 1}`,
    ) as Record<string, unknown>;
    const { errors, values } = read(input, '');
    expect(Object.keys(errors as object)).toEqual([`custom_fields.${slug}`, `custom__${slug}`]);
    expect(values).toEqual({});
    expect({}).not.toHaveProperty('polluted');
  });

  it('does not read custom_fields from the prototype', () => {
    expect(read(Object.create({ custom_fields: { source: 'Web' } }) as Record<string, unknown>).values).toEqual({});
  });

  it('limits the number of values and the length of a path', () => {
    const many = Object.fromEntries(Array.from({ length: maxCustomValues + 1 }, (_, index) => [`f${index}`, 1]));
    expect(Object.keys(read({ custom_fields: many }).errors as object)).toEqual(['opportunity.custom_fields']);
    const [path = ''] = Object.keys(read({ custom_fields: { ['x'.repeat(10_000)]: 1 } }).errors as object);
    expect(path).toBe(`opportunity.custom_fields.${'x'.repeat(80)}…`);
  });
});
