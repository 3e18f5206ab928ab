import { describe, expect, it } from '@jest/globals';
import fc from 'fast-check';
import { propertyRuns } from '../../../tests/random.js';

import { accepted, errorsOf, testFieldIndex, testDefinitions } from '../../../tests/query-fields.js';
import { fieldKey, type FieldRef } from '../field-ref.js';
import { relationNames, systemFields } from '../system-fields.js';
import { filterKindOf, findOperator, operatorAliases, operators, operatorsFor } from './operators.js';
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
  it('is no filter if absent, null or empty, and keys with null are absent', () => {
    for (const input of [undefined, null, []]) expect(parse(input)).toBeNull();
    const absent = { and: null, or: null, not: null };
    expect(canonical({ ...absent, ...is('name', 'a') })).toEqual(['name', 'eq', 'a']);
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
    const paths = [
      ...[
        '[0].field',
        '[1].operator',
        '[2].value',
        '[3].and[0].value[2]',
        '[3].and[0].value[3]',
        '[3].and[1].not.value',
      ],
      ...['[4].or', '[5].case', '[6]', '[7].value', '[8]'],
    ];
    expect(Object.keys(refuse(input)).sort()).toEqual(paths.map((path) => `filters${path}`).sort());
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
    const broken = refuse({ and: Array.from({ length: 10_000 }, () => ({ and: [] })) });
    expect(Object.keys(broken)).toHaveLength(51);
  });
});

describe('operators', () => {
  const custom = testDefinitions.map((definition) => `custom__${definition.slug}`);
  const parts = ['term.start', 'term.end', 'office.city', 'office.formatted', 'office.lat'];
  const system = systemFields.opportunity.filter((field) => field.filterable).map((field) => field.name);
  const fields = [...custom, ...parts, ...system, ...relationNames.opportunity];

  it('of every field are the ones in the table, and no others', () => {
    for (const field of fields) {
      const fitting = operatorsFor(filterKindOf(fieldOf(field)));
      const taken = operators.filter((operator) => !('filters.operator' in refuse({ field, operator })));
      expect([field, ...taken]).toEqual([field, ...operators.filter((operator) => fitting.includes(operator))]);
    }
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

  it.each(['close_date', 'seen_at'])('of %s accept milliseconds, RFC 3339 and days', (name) => {
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

  it.each(['close_date', 'created_at', 'seen_at', 'met_at', 'signed_on', 'term.start'])(
    'in seconds are refused: %s',
    (name) => {
      expect(refuse(is(name, 1_772_000_000, 'gt'))['filters.value']).toContain('seconds');
      expect(parse(is(name, 0, 'gt'))).not.toBeNull();
    },
  );

  it('of custom fields are fixed-width text', () => {
    expect(canonical(is('met_at', startMs))).toEqual(['custom:id-of-met_at', 'eq', '2026-02-28T00:00:00.000Z']);
    expect(canonical(is('met_at', day, 'gt'))).toEqual(['custom:id-of-met_at', 'gt', '2026-02-28T23:59:59.999Z']);
    expect(canonical(is('signed_on', startMs, 'lte'))).toEqual(['custom:id-of-signed_on', 'lte', day]);
    expect(refuse(is('signed_on', startMs + 5, 'lte'))['filters.value']).toContain('other time zones');
    expect(canonical(is('term.end', day, 'after'))).toEqual(['custom:id-of-term.end', 'gt', day]);
    expect(canonical(is('call_time', '09:30', 'gte'))).toEqual(['custom:id-of-call_time', 'gte', '09:30:00']);
    expect(canonical(is('office.city', 'BERLIN'))).toEqual(['custom:id-of-office.city', 'eq', 'berlin']);
    expect(canonical(is('office.lat', 52.5, 'gt'))).toEqual(['custom:id-of-office.lat', 'gt', 52.5]);
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
      { numRuns: propertyRuns({ short: 40, soak: 5_000 }) },
    );
  });
});
