import { describe, expect, it } from '@jest/globals';
import fc from 'fast-check';

import { fieldKey } from './field-ref.js';
import { parseSort } from './sort.js';
import { systemFields } from './system-fields.js';
import { accepted, errorsOf, testFieldIndex, testDefinitions } from '../../tests/query-fields.js';

const sort = (input: unknown) =>
  accepted((errors) => parseSort(input, testFieldIndex, 'created_at', errors)).map(
    (key) => `${fieldKey(key.field)} ${key.direction}`,
  );
const refuse = (input: unknown) => errorsOf((errors) => parseSort(input, testFieldIndex, 'created_at', errors));

describe('parseSort', () => {
  it.each([undefined, null, []])('returns the default for %j', (input) => {
    expect(sort(input)).toEqual(['created_at desc']);
    expect(
      accepted((errors) => parseSort(input, testFieldIndex, 'updated_at', errors)).map(({ field }) => fieldKey(field)),
    ).toEqual(['updated_at']);
  });

  it('reads every spelling', () => {
    expect(sort('amount')).toEqual(['amount asc']);
    expect(sort('amount:desc')).toEqual(['amount desc']);
    expect(sort({ field: 'amount' })).toEqual(['amount asc']);
    expect(sort({ field: 'amount', direction: null })).toEqual(['amount asc']);
    expect(sort({ field: 'custom__seats', direction: 'desc' })).toEqual(['custom:id-of-seats desc']);
    expect(sort(['name', { field: 'term.start', direction: 'desc' }, 'office.city:asc'])).toEqual([
      'name asc',
      'custom:id-of-term.start desc',
      'custom:id-of-office.city asc',
    ]);
  });

  it('accepts every system field except lists, and every custom field with one value', () => {
    for (const field of systemFields.opportunity) {
      expect([field.name, Object.keys(refuse(field.name)).length]).toEqual([
        field.name,
        field.name === 'additional_contacts' ? 1 : 0,
      ]);
    }
    const refused = testDefinitions
      .map((definition) => definition.slug)
      .filter((slug) => Object.keys(refuse(`custom__${slug}`)).length > 0);
    expect(refused).toEqual(['term', 'colors', 'office', 'helpers']);
  });

  it('gives the path of each error, all at once', () => {
    expect(refuse('nope')).toEqual({ sort: 'unknown field "nope"' });
    expect(refuse('name:up')).toEqual({ sort: 'must be asc or desc' });
    expect(refuse({ field: 'colors', direction: 'DESC' })).toEqual({
      'sort.field': 'cannot sort by "colors": it holds several values',
      'sort.direction': 'must be asc or desc',
    });
    expect(refuse(['name', { field: 'account.domain' }, { field: 'term' }])).toEqual({
      'sort[1].field': 'cannot sort by "account.domain": it belongs to another record',
      'sort[2].field': 'cannot sort by "term": sort by one of its parts, start, end',
    });
    expect(refuse({ field: 'name', order: 'desc' })).toEqual({
      sort: 'has an unknown key "order": it takes field and direction',
    });
  });

  it('refuses a field that is named twice, in any spelling', () => {
    expect(refuse(['seats', { field: 'custom__seats' }])).toEqual({
      'sort[1].field': 'names a field that an earlier key sorts by',
    });
    expect(Object.keys(refuse(['name', 'name:desc']))).toEqual(['sort[1]']);
  });

  it('refuses more than three keys and other shapes', () => {
    expect(refuse(['id', 'name', 'amount', 'version'])).toEqual({ sort: 'must have at most 3 keys' });
    for (const input of ['', ':desc', 5, true, {}, { field: 5 }]) expect(Object.keys(refuse(input))).toHaveLength(1);
    expect(Object.keys(refuse([['name']]))).toEqual(['sort[0]']);
  });

  it('adds errors and never throws, whatever the input', () => {
    fc.assert(
      fc.property(fc.jsonValue(), (input) => {
        expect(Object.keys(refuse(input)).every((path) => path.startsWith('sort'))).toBe(true);
      }),
    );
  });
});
