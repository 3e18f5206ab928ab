import { describe, expect, it } from '@jest/globals';
import fc from 'fast-check';

import { accepted, errorsOf, testFieldIndex, testDefinitions } from '../../../tests/query-fields.js';
import type { FieldRef } from '../field-ref.js';
import { relationNames, systemFields } from '../system-fields.js';
import { filterKindOf } from './kind.js';
import { findOperator, operatorAliases, operators, operatorsFor } from './operators.js';
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

describe('the shape of filters', () => {
  it.each([undefined, null, []])('is no filter for %j', (input) => {
    expect(parse(input)).toBeNull();
  });

  it('is a list of nodes that must all match, one node, or groups of nodes', () => {
    expect(canonical(is('name', 'Acme'))).toEqual(['name', 'eq', 'acme']);
    expect(canonical([is('name', 'A'), { not: is('seats', 1, 'gt') }])).toEqual([
      'and',
      ['name', 'eq', 'a'],
      ['not', ['custom:id-of-seats', 'gt', 1]],
    ]);
    expect(canonical({ or: [is('name', 'A'), { and: [is('name', 'B'), is('name', 'C')] }] })).toEqual([
      'or',
      ['name', 'eq', 'a'],
      ['and', ['name', 'eq', 'b'], ['name', 'eq', 'c']],
    ]);
  });

  it('has one canonical form for all spellings', () => {
    const plain = canonical(is('seats', [3, 1, 2], 'in'));
    expect(canonical([{ value: [1, 2, 3, 3], operator: 'is_any_of', field: 'custom__seats' }])).toEqual(plain);
    expect(canonical({ and: [is('seats', [1, 2, 3], 'in')] })).toEqual(plain);
    expect(canonical(is('seats', [1, 2], 'in'))).not.toEqual(plain);
  });

  it('treats null as absent next to the keys in use', () => {
    const absent = { and: null, or: null, not: null };
    expect(canonical({ ...absent, ...is('name', 'a') })).toEqual(['name', 'eq', 'a']);
    expect(canonical({ field: null, operator: null, value: null, ...absent, not: is('name', 'a') })).toEqual([
      'not',
      ['name', 'eq', 'a'],
    ]);
  });

  it('gives the path of every error, all at once', () => {
    const input = [
      is('nope', 1),
      is('name', 'a', 'like'),
      is('seats', 'a'),
      { and: [is('seats', [1, 2, '3', null], 'in'), { not: is('stage_id', 'x') }] },
      { or: [] },
      { field: 'name', operator: 'eq', value: 'a', case: true },
      { and: [is('name', 'a')], or: [is('name', 'a')] },
      { field: 'name', operator: 'eq' },
      5,
    ];
    expect(Object.keys(refuse(input)).sort()).toEqual(
      [
        'filters[0].field',
        'filters[1].operator',
        'filters[2].value',
        'filters[3].and[0].value[2]',
        'filters[3].and[0].value[3]',
        'filters[3].and[1].not.value',
        'filters[4].or',
        'filters[5].case',
        'filters[6]',
        'filters[7].value',
        'filters[8]',
      ].sort(),
    );
    expect(Object.keys(refuse({ and: [is('seats', '1')] }))).toEqual(['filters.and[0].value']);
    expect(Object.keys(refuse(is('name', 'a', 'x')))).toEqual(['filters.operator']);
    for (const other of ['a', 5, true, [[]], {}]) expect(Object.keys(refuse(other))).not.toHaveLength(0);
  });

  it('is at most five levels deep', () => {
    const nest = (depth: number): unknown => (depth === 1 ? is('name', 'a') : { and: [nest(depth - 1)] });
    expect(parse(nest(5))).not.toBeNull();
    expect(Object.keys(refuse(nest(6)))).toEqual(['filters.and[0].and[0].and[0].and[0].and[0]']);
    expect(parse([nest(5)])).not.toBeNull();
  });

  it('has at most fifty comparisons, counting each day in a list', () => {
    const many = (count: number) => Array.from({ length: count }, (_, index) => is('seats', index));
    expect(parse(many(50))).not.toBeNull();
    expect(refuse(many(51))).toEqual({ filters: 'must have at most 50 comparisons' });
    const days = Array.from({ length: 28 }, (_, index) => `2026-02-${String(index + 1).padStart(2, '0')}`);
    expect(parse(is('close_date', days, 'in'))).not.toBeNull();
    expect(refuse([is('close_date', days, 'in'), is('created_at', days, 'not_in')])).toHaveProperty('filters');
  });

  it('stops being checked once there are too many comparisons', () => {
    let looks = 0;
    const look = () => {
      looks += 1;
      return [];
    };
    const errors = refuse({ and: Array.from({ length: 1_000 }, () => new Proxy({}, { ownKeys: look })) });
    expect(errors).toHaveProperty('filters');
    expect(looks).toBeLessThan(200);
    const broken = refuse({ and: Array.from({ length: 100_000 }, () => ({ and: [] })) });
    expect(Object.keys(broken)).toHaveLength(51);
  });
});

describe('operators', () => {
  const custom = testDefinitions.map((definition) => `custom__${definition.slug}`);
  const parts = ['term.start', 'term.end', 'office.city', 'office.formatted', 'office.lat'];
  const system = systemFields.opportunity.filter((field) => field.filterable).map((field) => field.name);
  const fields = [...custom, ...parts, ...system, ...relationNames.opportunity];

  it.each(fields)('of %s are the ones in the table, and no others', (field) => {
    const fitting = operatorsFor(filterKindOf(fieldOf(field)));
    const taken = operators.filter((operator) => !('filters.operator' in refuse({ field, operator })));
    expect(taken).toEqual(operators.filter((operator) => fitting.includes(operator)));
  });

  it('have aliases', () => {
    for (const [alias, operator] of Object.entries(operatorAliases)) expect(findOperator(alias)).toBe(operator);
    expect(canonical(is('seats', 1, 'before'))).toEqual(['custom:id-of-seats', 'lt', 1]);
    for (const name of ['__proto__', 'constructor', 'EQ', '']) expect(findOperator(name)).toBeNull();
  });

  it('for presence take no value', () => {
    expect(canonical({ field: 'name', operator: 'empty' })).toEqual(['name', 'empty', null]);
    expect(canonical(is('name', null, 'not_empty'))).toEqual(['name', 'not_empty', null]);
    expect(refuse(is('name', true, 'empty'))).toHaveProperty(['filters.value']);
  });

  it('of a date range or location point to its parts in their errors', () => {
    expect(refuse(is('term', '2026-01-01', 'gt'))['filters.operator']).toContain('term.start, term.end');
  });
});

describe('parseFilters', () => {
  const key = fc.constantFrom('and', 'or', 'not', 'field', 'operator', 'value', '__proto__', 'x');
  const scalar = fc.oneof(
    fc.constantFrom(
      ...operators,
      ...testDefinitions.map((definition) => definition.slug),
      '2026-02-28',
      'account.name',
    ),
    fc.jsonValue({ maxDepth: 1 }),
  );
  const { node } = fc.letrec<{ node: unknown }>((tie) => ({
    node: fc.oneof(
      { maxDepth: 8, withCrossShrink: true },
      scalar,
      fc.array(tie('node'), { maxLength: 4 }),
      fc.dictionary(key, tie('node'), { maxKeys: 4 }),
    ),
  }));

  it('adds errors on paths under filters and never throws, whatever the input', () => {
    fc.assert(
      fc.property(fc.oneof(node, fc.jsonValue({ maxDepth: 20 })), (input) => {
        expect(Object.keys(refuse(input)).every((path) => /^filters($|[.[])/.test(path))).toBe(true);
      }),
      { numRuns: 2_000 },
    );
  });
});
