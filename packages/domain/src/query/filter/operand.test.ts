import { describe, expect, it } from '@jest/globals';

import { accepted, errorsOf, testFieldIndex } from '../../../tests/query-fields.js';
import { fieldKey, type FieldRef } from '../field-ref.js';
import { parseFilters } from './parse-filters.js';
import { canonicalFilter } from './tree.js';

const parse = (input: unknown) => accepted((errors) => parseFilters(input, testFieldIndex, errors));
const refuse = (input: unknown) => errorsOf((errors) => parseFilters(input, testFieldIndex, errors));
const canonical = (input: unknown) => JSON.parse(canonicalFilter(parse(input))) as unknown;
const fieldOf = (name: string): FieldRef => {
  const node = parse({ field: name, operator: 'empty' });
  if (node?.kind !== 'leaf') throw new Error('empty makes a leaf');
  return node.field;
};
const is = (field: string, value: unknown, operator = 'eq') => ({ field, operator, value });

describe('values', () => {
  it('that are null or empty text are refused with a hint at empty', () => {
    for (const value of [null, '']) {
      expect(refuse(is('name', value))['filters.value']).toContain('empty');
      expect(refuse([is('name', ['a', value], 'in')])['filters[0].value[1]']).toContain('empty');
    }
  });

  it('of text are normalized and have at most 2,000 characters', () => {
    expect(canonical(is('name', 'MU\u0308LLER', 'contains'))).toEqual(['name', 'contains', 'm\u00fcller']);
    expect(parse(is('name', 'a'.repeat(2_000)))).not.toBeNull();
    for (const value of ['a'.repeat(2_001), 'a\u0000', 'a\ud800', 1, true, ['a'], {}]) {
      expect(Object.keys(refuse(is('name', value)))).toEqual(['filters.value']);
    }
  });

  it('of natural keys are normalized as keys, and parts of them as search text', () => {
    expect(canonical(is('account.domain', 'https://www.ACME.com/x'))).toEqual([
      'relation:account.domain',
      'eq',
      'acme.com',
    ]);
    expect(canonical(is('contact.email', ['Ann@ACME.com'], 'not_in'))).toEqual([
      'relation:contact.email',
      'not_in',
      ['ann@acme.com'],
    ]);
    expect(canonical(is('account_domain', 'ACME', 'contains'))).toEqual(['account_domain', 'contains', 'acme']);
    expect(Object.keys(refuse(is('contact.email', 'ann')))).toEqual(['filters.value']);
    expect(Object.keys(refuse(is('account.domain', ['acme.com', 'x y'], 'in')))).toEqual(['filters.value[1]']);
  });

  it('of ids are UUIDs in lower case', () => {
    const id = '01890000-0000-7000-8000-00000000000A';
    expect(canonical(is('stage_id', id))).toEqual(['stage_id', 'eq', id.toLowerCase()]);
    expect(canonical(is('helpers', [id], 'contains_all'))).toEqual([
      'custom:id-of-helpers',
      'contains_all',
      [id.toLowerCase()],
    ]);
    for (const value of ['x', `${id} `, `{${id}}`, 5])
      expect(refuse(is('id', value))).toHaveProperty(['filters.value']);
  });

  it('of numbers and checkboxes are not coerced', () => {
    for (const value of ['1', true, NaN, Infinity, [1]]) {
      expect(refuse(is('amount', value))).toHaveProperty(['filters.value']);
    }
    expect(parse(is('amount', -0))).toHaveProperty('value', 0);
    expect(canonical(is('is_vip', true))).toEqual(['custom:id-of-is_vip', 'eq', 1]);
    for (const value of ['true', 1]) expect(refuse(is('is_vip', value))).toHaveProperty(['filters.value']);
  });

  it('of options are values or unique labels', () => {
    expect(canonical(is('color', 'RED'))).toEqual(['custom:id-of-color', 'eq', 'red']);
    expect(canonical(is('colors', ['green', 'BLUE', 'blue']))).toEqual([
      'custom:id-of-colors',
      'eq',
      ['blue', 'green'],
    ]);
    expect(refuse(is('color', 'pink'))).toHaveProperty(['filters.value']);
    expect(refuse(is('colors', 'red'))).toHaveProperty(['filters.value']);
  });

  it('in lists number one to 200', () => {
    const numbers = Array.from({ length: 201 }, (_, index) => index);
    expect(parse(is('seats', numbers.slice(1), 'in'))).not.toBeNull();
    for (const value of [numbers, [], 5, { 0: 1 }])
      expect(refuse(is('seats', value, 'in'))).toHaveProperty(['filters.value']);
  });

  it('of between are the lower and the higher one', () => {
    expect(canonical(is('seats', [1, 5], 'between'))).toEqual(['custom:id-of-seats', 'between', [1, 5]]);
    expect(parse(is('seats', [5, 5], 'between'))).not.toBeNull();
    for (const value of [[5, 1], [1], [1, 2, 3], 1, { low: 1, high: 2 }]) {
      expect(Object.keys(refuse(is('seats', value, 'between')))).toEqual(['filters.value']);
    }
    expect(Object.keys(refuse(is('seats', [1, '5'], 'between')))).toEqual(['filters.value[1]']);
  });
});

describe('dates', () => {
  const startMs = Date.UTC(2026, 1, 28);
  const endMs = startMs + 86_399_999;
  const day = '2026-02-28';

  it.each(['close_date', 'created_at', 'seen_at'])('of %s accept milliseconds, RFC 3339 and days', (name) => {
    const field = fieldKey(fieldOf(name));
    const at = (value: unknown, operator?: string) => canonical(is(name, value, operator));
    expect(at(startMs)).toEqual([field, 'eq', startMs]);
    expect(at('2026-02-28T01:00:00.000+01:00')).toEqual([field, 'eq', startMs]);
    expect(at(day)).toEqual([field, 'between', [startMs, endMs]]);
    expect(at(day, 'neq')).toEqual(['not', [field, 'between', [startMs, endMs]]]);
    expect(at(day, 'gt')).toEqual([field, 'gt', endMs]);
    expect(at(day, 'gte')).toEqual([field, 'gte', startMs]);
    expect(at(day, 'before')).toEqual([field, 'lt', startMs]);
    expect(at(day, 'lte')).toEqual([field, 'lte', endMs]);
    expect(at([day, day], 'between')).toEqual([field, 'between', [startMs, endMs]]);
    expect(at([day, startMs, day], 'in')).toEqual([
      'or',
      [field, 'between', [startMs, endMs]],
      [field, 'in', [startMs]],
    ]);
    expect(at([day], 'not_in')).toEqual(['not', [field, 'between', [startMs, endMs]]]);
    for (const value of ['2026-02-29', '2026-02-28 10:00', '2026-02-28T10:00:00', '1e12', 1.5, 9e15]) {
      expect(refuse(is(name, value))).toHaveProperty(['filters.value']);
    }
  });

  it('in seconds are refused where the year 1970 is implausible', () => {
    expect(refuse(is('close_date', 1_772_000_000, 'gt'))['filters.value']).toContain('seconds');
    expect(parse(is('created_at', 0, 'gt'))).not.toBeNull();
    expect(parse(is('seen_at', 5))).not.toBeNull();
  });

  it('of custom fields are fixed-width text', () => {
    expect(canonical(is('met_at', startMs))).toEqual(['custom:id-of-met_at', 'eq', '2026-02-28T00:00:00.000Z']);
    expect(canonical(is('met_at', day, 'gt'))).toEqual(['custom:id-of-met_at', 'gt', '2026-02-28T23:59:59.999Z']);
    expect(canonical(is('signed_on', startMs + 5, 'lte'))).toEqual(['custom:id-of-signed_on', 'lte', day]);
    expect(canonical(is('term.end', day, 'after'))).toEqual(['custom:id-of-term.end', 'gt', day]);
    expect(canonical(is('call_time', '09:30', 'gte'))).toEqual(['custom:id-of-call_time', 'gte', '09:30:00']);
    expect(canonical(is('office.city', 'BERLIN'))).toEqual(['custom:id-of-office.city', 'eq', 'berlin']);
    expect(canonical(is('office.lat', 52.5, 'gt'))).toEqual(['custom:id-of-office.lat', 'gt', 52.5]);
  });
});
