import { type FieldRef, filterKindOf, isBlank, type Operator } from '@crm/domain';
import fc from 'fast-check';
import {
  archivedOption,
  cityOperands,
  dateOperands,
  instantOperands,
  numberOperands,
  options,
  texts,
  timeOperands,
} from './pools.js';
import { type RecordModel, valueOf } from './record-model.js';

const unknownId = '01890000-0000-7000-8000-000000000000';

/** The values of a field in the records, in comparison form, so that filters find something. */
const heldValues = (records: readonly RecordModel[], ref: FieldRef): readonly unknown[] => [
  ...new Set(records.flatMap((record) => valueOf(record, ref)).filter((value) => value !== null && value !== '')),
];

const isAskable = (text: string): boolean => Array.from(text).length <= 300;

const heldTexts = (records: readonly RecordModel[], ref: FieldRef): readonly string[] =>
  heldValues(records, ref)
    .filter((value) => typeof value === 'string')
    .filter(isAskable);

const inAnyCase = (held: readonly string[], others: readonly string[]): fc.Arbitrary<string> => {
  const all = held.length === 0 ? others : held;
  return fc.oneof(
    { weight: 4, arbitrary: fc.constantFrom(...all) },
    { weight: 1, arbitrary: fc.constantFrom(...all).map((text) => text.toUpperCase()) },
    { weight: 1, arbitrary: fc.constantFrom(...others) },
  );
};

type Place = 'start' | 'end' | 'middle';

/** The part of a text that each operator looks at, so that it finds something more often. */
const places: Readonly<Partial<Record<Operator, readonly Place[]>>> = {
  contains: ['start', 'end', 'middle'],
  not_contains: ['start', 'end', 'middle'],
  starts_with: ['start', 'start', 'start', 'middle'],
  ends_with: ['end', 'end', 'end', 'middle'],
};

/** The beginning, end or middle of a text, never empty and never half a character. */
const pieceOf = (whole: fc.Arbitrary<string>, from: readonly Place[]): fc.Arbitrary<string> =>
  fc
    .tuple(whole, fc.nat({ max: 300 }), fc.nat({ max: 300 }), fc.constantFrom(...from))
    .map(([text, start, length, place]) => {
      const points = Array.from(text);
      const taken = 1 + (length % points.length);
      if (place === 'start') return points.slice(0, taken).join('');
      if (place === 'end') return points.slice(-taken).join('');
      return points.slice(start % points.length, (start % points.length) + taken).join('');
    });

/** Single values for a field and operator, as requests contain them. */
const operandOf = (ref: FieldRef, operator: Operator, records: readonly RecordModel[]): fc.Arbitrary<unknown> => {
  const kind = filterKindOf(ref);
  const place = places[operator];
  const held = heldTexts(records, ref);
  switch (kind) {
    case 'text': {
      const isPart = ref.source === 'custom' && ref.part !== undefined;
      const whole = inAnyCase(held, isPart ? cityOperands : texts);
      return place === undefined ? whole.filter((text) => !isBlank(text)) : pieceOf(whole, place);
    }
    case 'email':
    case 'domain': {
      const whole = inAnyCase(held, [kind === 'email' ? 'nobody@nowhere.example' : 'nowhere.example']);
      return place === undefined ? whole : fc.oneof(pieceOf(whole, place), fc.constantFrom('%', '_', '@', '.example'));
    }
    case 'uuid':
      return inAnyCase(held, [unknownId]);
    case 'boolean':
    case 'checkbox':
      return fc.boolean();
    case 'number':
      return fc.oneof(
        ...[heldValues(records, ref), numberOperands].flatMap((values) =>
          values.length === 0 ? [] : [fc.constantFrom<unknown>(...values)],
        ),
      );
    case 'instant': {
      const instants = heldValues(records, ref).map((ms) => new Date(Number(ms)).toISOString());
      const days = instants.map((instant) => instant.slice(0, 10));
      return fc.oneof(fc.constantFrom(...instants, ...days), fc.constantFrom<unknown>(...instantOperands));
    }
    case 'timestamp':
    case 'datetime':
      return fc.constantFrom(...instantOperands);
    case 'date':
      return fc.constantFrom(...dateOperands);
    case 'time':
      return fc.constantFrom(...timeOperands);
    case 'option':
    case 'option_set':
      return fc.constantFrom(...[...options, archivedOption].flatMap(({ value, label }) => [value, value, label]));
    case 'member_set':
      return fc.constantFrom(...held, unknownId);
    case 'whole':
      return fc.constant(null);
  }
};

const listOperators: ReadonlySet<Operator> = new Set(['in', 'not_in', 'contains_all', 'contains_none']);

/** The `value` of a comparison; absent for operators without one. */
export const valueFor = (ref: FieldRef, operator: Operator, records: readonly RecordModel[]): fc.Arbitrary<unknown> => {
  if (operator === 'empty' || operator === 'not_empty') return fc.constantFrom(undefined, null);
  const one = operandOf(ref, operator, records);
  if (operator === 'between') return fc.tuple(one, one);
  const kind = filterKindOf(ref);
  const isSet = kind === 'option_set' || kind === 'member_set';
  if (!listOperators.has(operator) && !isSet) return one;
  return fc.array(one, { minLength: 1, maxLength: isSet ? 3 : 6 });
};
