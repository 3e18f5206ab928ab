import { describe, expect, it } from '@jest/globals';
import fc from 'fast-check';
import { propertyRuns } from '../../../tests/random.js';

import { accepted, testFieldIndex } from '../../../tests/query-fields.js';
import { fieldKey, type FieldRef } from '../field-ref.js';
import { matchesFilter, type ComparisonValue } from './evaluate.js';
import { filterKindOf } from './kind.js';
import { operatorsFor, type FilterKind, type Operator } from './operators.js';
import { parseFilters } from './parse-filters.js';
import type { FilterNode } from './tree.js';

const parse = (input: unknown): FilterNode => {
  const node = accepted((errors) => parseFilters(input, testFieldIndex, errors));
  if (node === null) throw new Error('There is no filter');
  return node;
};

const matches = (field: string, operator: Operator, value: unknown, stored: ComparisonValue): boolean =>
  matchesFilter(parse({ field, operator, value }), () => stored);

const numRuns = propertyRuns({ short: 40, soak: 5_000 });
const id = (digit: number): string => `01890000-0000-7000-8000-00000000000${digit}`;
const dayMs = 86_400_000;
const millennium = Date.UTC(2000, 0, 1);
const iso = (ms: number): string => new Date(ms).toISOString();

/** A few values of each kind as requests write them, so that equal, nested and neighbouring ones occur together. */
const written: Readonly<Partial<Record<FilterKind, fc.Arbitrary<unknown>>>> = {
  text: fc.constantFrom('a', 'A', 'ab', 'b', '%', '_', 'b%a'),
  email: fc.constantFrom('a@b.de', 'A@b.de', 'ab@b.de'),
  domain: fc.constantFrom('a.de', 'www.a.de', 'b.de'),
  uuid: fc.constantFrom(id(1), id(2), id(3)),
  number: fc.constantFrom(-1, 0, 0.5, 1, 2),
  checkbox: fc.boolean(),
  instant: fc.constantFrom('2000-01-01', '2000-01-02', millennium, millennium + 1, iso(millennium + dayMs)),
  timestamp: fc.constantFrom('2000-01-01', '2000-01-02', millennium, millennium + 1, iso(millennium + dayMs)),
  datetime: fc.constantFrom('2000-01-01', '2000-01-02', millennium, millennium + 1, iso(millennium + dayMs)),
  date: fc.constantFrom('2000-01-01', '2000-01-02', '2000-01-03'),
  time: fc.constantFrom('09:00', '09:00:01', '10:00'),
  option: fc.constantFrom('red', 'GREEN', 'blue'),
  option_set: fc.constantFrom('red', 'GREEN', 'blue'),
  member_set: fc.constantFrom(id(1), id(2), id(3)),
};

/** The same values in comparison form, as records store them. */
const instants = [millennium - 1, millennium, millennium + 1, millennium + dayMs - 1, millennium + dayMs];
const stored: Readonly<Partial<Record<FilterKind, fc.Arbitrary<ComparisonValue>>>> = {
  text: fc.constantFrom('', 'a', 'ab', 'b', '%', 'b%a'),
  email: fc.constantFrom('a@b.de', 'ab@b.de'),
  domain: fc.constantFrom('a.de', 'b.de'),
  uuid: fc.constantFrom(id(1), id(2)),
  number: fc.constantFrom(-1, 0, 0.5, 1, 2),
  checkbox: fc.constantFrom(0, 1),
  instant: fc.constantFrom(...instants),
  timestamp: fc.constantFrom(...instants),
  datetime: fc.constantFrom(...instants.map(iso)),
  date: fc.constantFrom('2000-01-01', '2000-01-02'),
  time: fc.constantFrom('09:00:00', '09:00:01', '10:00:00'),
  option: fc.constantFrom('red', 'green'),
  option_set: fc.subarray(['red', 'green', 'blue']),
  member_set: fc.subarray([id(1), id(2), id(3)]),
  whole: fc.constant(true),
};

const fields = [
  ...['name', 'account.domain', 'contact.email', 'stage_id', 'amount', 'close_date', 'updated_at', 'motto', 'seats'],
  ...['is_vip', 'signed_on', 'term', 'term.start', 'seen_at', 'color', 'colors', 'office', 'office.city', 'office.lat'],
  ...['call_time', 'met_at', 'tier', 'helpers', 'secret_note'],
];

const refOf = (field: string): FieldRef => {
  const node = parse({ field, operator: 'empty' });
  if (node.kind !== 'leaf') throw new Error('empty makes a leaf');
  return node.field;
};
const refs = new Map(fields.map((field) => [field, refOf(field)]));

const listed: ReadonlySet<Operator> = new Set(['in', 'not_in', 'contains_all', 'contains_none']);

const valueFor = (kind: FilterKind, operator: Operator): fc.Arbitrary<unknown> => {
  const one = written[kind];
  if (one === undefined || operator === 'empty' || operator === 'not_empty') return fc.constant(undefined);
  const isSet = kind === 'option_set' || kind === 'member_set';
  if (listed.has(operator) || (isSet && operator === 'eq')) return fc.array(one, { minLength: 1, maxLength: 4 });
  // Equal bounds are always in order.
  return operator === 'between' ? one.map((value) => [value, value]) : one;
};

const leaf = fc.constantFrom(...refs).chain(([field, ref]) => {
  const kind = filterKindOf(ref);
  return fc
    .constantFrom(...operatorsFor(kind))
    .chain((operator) => valueFor(kind, operator).map((value) => ({ field, operator, value })));
});

const record = fc.record(
  Object.fromEntries(
    [...refs.values()].map((ref) => [
      fieldKey(ref),
      fc.option(stored[filterKindOf(ref)] ?? fc.constant(null), { nil: null, freq: 3 }),
    ]),
  ),
);

const inRecord = (values: Readonly<Record<string, ComparisonValue>>) => (field: FieldRef) =>
  values[fieldKey(field)] ?? null;

const opposites = [
  ['eq', 'neq'],
  ['in', 'not_in'],
  ['contains', 'not_contains'],
  ['empty', 'not_empty'],
] as const;

describe('the laws of filters', () => {
  it('not X and the opposite of an operator match exactly the records that X does not', () => {
    fc.assert(
      fc.property(leaf, record, (input, values) => {
        const valueOf = inRecord(values);
        const plain = matchesFilter(parse(input), valueOf);
        expect(matchesFilter(parse({ not: input }), valueOf)).toBe(!plain);
        expect(matchesFilter(parse({ not: { not: input } }), valueOf)).toBe(plain);
        const negative = opposites.find(([operator]) => operator === input.operator)?.[1];
        const ref = refs.get(input.field);
        if (negative === undefined || ref === undefined || !operatorsFor(filterKindOf(ref)).includes(negative)) return;
        expect(matchesFilter(parse({ ...input, operator: negative }), valueOf)).toBe(!plain);
      }),
      { numRuns },
    );
  });

  it("and, or and not follow De Morgan's laws", () => {
    fc.assert(
      fc.property(fc.array(leaf, { minLength: 1, maxLength: 4 }), record, (inputs, values) => {
        const valueOf = inRecord(values);
        const negated = inputs.map((input) => ({ not: input }));
        expect(matchesFilter(parse({ not: { and: inputs } }), valueOf)).toBe(
          matchesFilter(parse({ or: negated }), valueOf),
        );
        expect(matchesFilter(parse(inputs), valueOf)).toBe(
          inputs.every((input) => matchesFilter(parse(input), valueOf)),
        );
      }),
      { numRuns },
    );
  });

  it('records without a value match only the negative operators and empty', () => {
    fc.assert(
      fc.property(leaf, (input) => {
        const negative: readonly Operator[] = ['neq', 'not_in', 'not_contains', 'contains_none', 'empty'];
        expect(matchesFilter(parse(input), () => null)).toBe(negative.includes(input.operator));
      }),
      { numRuns },
    );
  });
});

describe('matchesFilter', () => {
  it('treats the empty text and the empty list as no value', () => {
    for (const value of [null, '', []]) {
      expect(matches('motto', 'empty', undefined, value)).toBe(true);
      expect(matches('motto', 'neq', 'a', value)).toBe(true);
      expect(matches('motto', 'eq', 'a', value)).toBe(false);
    }
    expect(matches('colors', 'contains_none', ['red'], [])).toBe(true);
    expect(matches('is_vip', 'empty', undefined, 0)).toBe(false);
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
    expect(instants.map((value) => matches('met_at', operator, '2000-01-01', iso(value)))).toEqual(expected);
  });
});
