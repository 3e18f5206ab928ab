import { describe, expect, it } from '@jest/globals';
import { accepted, testFieldIndex } from '../../../tests/query-fields.js';
import { matchesFilter, type ComparisonValue } from './evaluate.js';
import type { Operator } from './operators.js';
import { parseFilters } from './parse-filters.js';
import type { FilterNode } from './tree.js';

const parse = (input: unknown): FilterNode => {
  const node = accepted((errors) => parseFilters(input, testFieldIndex, errors));
  if (node === null) throw new Error('There is no filter');
  return node;
};

const matches = (field: string, operator: Operator, value: unknown, stored: ComparisonValue): boolean =>
  matchesFilter(parse({ field, operator, value }), () => stored);

const millennium = Date.UTC(2000, 0, 1);
const dayMs = 86_400_000;
const instants = [millennium - 1, millennium, millennium + 1, millennium + dayMs - 1, millennium + dayMs];

describe('matchesFilter', () => {
  it('treats the empty text and the empty list as no value', () => {
    for (const value of [null, '', []]) {
      expect(matches('motto', 'empty', undefined, value)).toBe(true);
      expect(matches('motto', 'neq', 'a', value)).toBe(true);
      expect(matches('motto', 'eq', 'a', value)).toBe(false);
    }
    expect(matches('colors', 'contains_none', ['red'], [])).toBe(true);
    expect(matches('is_vip', 'empty', undefined, 0)).toBe(false);
    expect(matches('seats', 'not_in', [1], null)).toBe(true);
    expect(matches('motto', 'not_contains', 'a', null)).toBe(true);
    for (const operator of ['gt', 'gte', 'lt', 'lte'] as const)
      expect([operator, matches('seats', operator, 0, null)]).toEqual([operator, false]);
  });

  it('compares normalized texts and takes wildcards literally', () => {
    expect(matches('motto', 'contains', 'A%', 'aab')).toBe(false);
    expect(matches('motto', 'contains', 'A%', 'xa%b')).toBe(true);
    expect(matches('motto', 'starts_with', 'X', 'xa')).toBe(true);
    expect(matches('motto', 'ends_with', 'X', 'xa')).toBe(false);
  });

  it('compares sets in any order', () => {
    expect(matches('colors', 'eq', ['green', 'red'], ['red', 'green'])).toBe(true);
    expect(matches('colors', 'eq', ['green'], ['red', 'green'])).toBe(false);
    expect(matches('colors', 'in', ['green', 'blue'], ['red', 'green'])).toBe(true);
    expect(matches('colors', 'contains_all', ['green', 'blue'], ['red', 'green'])).toBe(false);
    expect(matches('colors', 'contains_all', ['green'], ['red', 'green'])).toBe(true);
  });

  it.each<[Operator, readonly boolean[]]>([
    ['eq', [false, true, true, true, false]],
    ['neq', [true, false, false, false, true]],
    ['lt', [true, false, false, false, false]],
    ['lte', [true, true, true, true, false]],
    ['gt', [false, false, false, false, true]],
    ['gte', [false, true, true, true, true]],
  ])('treats a day as all its instants: %s', (operator, expected) => {
    expect(instants.map((value) => matches('close_date', operator, '2000-01-01', value))).toEqual(expected);
    expect(instants.map((value) => matches('met_at', operator, '2000-01-01', new Date(value).toISOString()))).toEqual(
      expected,
    );
  });
});
