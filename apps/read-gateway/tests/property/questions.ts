import {
  ErrorCollector,
  type FieldIndex,
  fieldKey,
  filterKindOf,
  type ObjectType,
  type Operator,
  operatorAliases,
  operatorsFor,
  parseFilters,
} from '@crm/domain';
import fc from 'fast-check';
import { type FieldCase, fieldCasesOf, pairName } from './field-cases.js';
import { valueFor } from './operands.js';
import type { Question } from './oracle.js';
import { texts } from './pools.js';
import type { World } from './world.js';

/** A search and the object that it searches. */
export interface AskedQuestion {
  readonly objectType: ObjectType;
  readonly question: Question & { readonly limit: number };
}

const namesOf = (operator: Operator): readonly string[] => [
  operator,
  ...Object.entries(operatorAliases).flatMap(([alias, one]) => (one === operator ? [alias] : [])),
];

const isAccepted = (filters: unknown, fieldIndex: FieldIndex): boolean => {
  const errors = new ErrorCollector();
  parseFilters(filters, fieldIndex, errors);
  return errors.isEmpty;
};

interface Comparison {
  readonly field: string;
  readonly operator: string;
  readonly value?: unknown;
}

/** Puts the lower value of a `between` first. Only the parser of the field knows which one that is. */
const inOrder = (comparison: Comparison, fieldIndex: FieldIndex): Comparison => {
  if (comparison.operator !== 'between' || isAccepted(comparison, fieldIndex)) return comparison;
  return { ...comparison, value: (comparison.value as unknown[]).toReversed() };
};

/** A type of field and one of its operators, with the fields of one object that have the type. */
export interface Pair {
  readonly name: string;
  readonly operator: Operator;
  readonly fields: readonly FieldCase[];
}

/** Every pair of type and operator of an object's fields. */
export const pairsOf = (fieldIndex: FieldIndex): readonly Pair[] => {
  const pairs = new Map<string, { name: string; operator: Operator; fields: FieldCase[] }>();
  for (const field of fieldCasesOf(fieldIndex)) {
    for (const operator of operatorsFor(filterKindOf(field.ref))) {
      const name = pairName(field, operator);
      const pair = pairs.get(name) ?? { name, operator, fields: [] };
      pair.fields.push(field);
      pairs.set(name, pair);
    }
  }
  return [...pairs.values()];
};

const comparison = (world: World, fieldIndex: FieldIndex, pairs: readonly Pair[]): fc.Arbitrary<Comparison> =>
  fc
    .constantFrom(...pairs)
    .chain(({ operator, fields }) => fc.tuple(fc.constant(operator), fc.constantFrom(...fields)))
    .chain(([operator, { ref, spellings }]) =>
      fc.record({
        field: fc.constantFrom(...spellings),
        operator: fc.constantFrom(...namesOf(operator)),
        value: valueFor(ref, operator, world.records[fieldIndex.objectType]),
      }),
    )
    .map((one) => inOrder(one, fieldIndex));

/**
 * Several comparisons of one field, the first of them of the pair. The gateway searches for parts of one text together.
 */
const comparisonsOfOne = (
  world: World,
  fieldIndex: FieldIndex,
  pair: Pair,
  pairs: readonly Pair[],
): fc.Arbitrary<readonly Comparison[]> =>
  fc.constantFrom(...pair.fields).chain((field) => {
    const isOfField = ({ ref }: FieldCase): boolean => fieldKey(ref) === fieldKey(field.ref);
    const ofField = pairs.filter(({ fields }) => fields.some(isOfField)).map((one) => ({ ...one, fields: [field] }));
    const own = comparison(world, fieldIndex, [{ ...pair, fields: [field] }]);
    const others = fc.array(fc.oneof(own, comparison(world, fieldIndex, ofField)), { minLength: 1, maxLength: 2 });
    return fc.tuple(own, others).map(([first, more]) => [first, ...more]);
  });

/** A tree that contains `wanted`. Often `wanted` stands alone, because other conditions hide its matches. */
const filterTree = (
  wanted: fc.Arbitrary<unknown>,
  ofOneField: fc.Arbitrary<readonly unknown[]>,
  leaf: fc.Arbitrary<unknown>,
  fieldIndex: FieldIndex,
): fc.Arbitrary<unknown> => {
  const { node } = fc.letrec((tie) => ({
    node: fc.oneof(
      { maxDepth: 2, depthSize: 'small' },
      { weight: 3, arbitrary: leaf },
      { weight: 1, arbitrary: fc.record({ and: fc.array(tie('node'), { minLength: 1, maxLength: 3 }) }) },
      { weight: 2, arbitrary: fc.record({ or: fc.array(tie('node'), { minLength: 1, maxLength: 3 }) }) },
      { weight: 1, arbitrary: fc.record({ not: tie('node') }) },
    ),
  }));
  const several = fc
    .tuple(wanted, fc.array(node, { maxLength: 2 }), fc.nat({ max: 2 }))
    .map(([one, others, place]) => others.toSpliced(place, 0, one));
  return fc
    .oneof(
      { weight: 3, arbitrary: wanted },
      { weight: 1, arbitrary: several },
      { weight: 1, arbitrary: several.map((nodes) => ({ and: nodes })) },
      { weight: 2, arbitrary: several.map((nodes) => ({ or: nodes })) },
      { weight: 1, arbitrary: several.map((nodes) => ({ not: { or: nodes } })) },
      { weight: 1, arbitrary: ofOneField.map((nodes) => ({ or: nodes })) },
      { weight: 1, arbitrary: ofOneField },
    )
    .filter((filters) => isAccepted(filters, fieldIndex));
};

const sortOf = (cases: readonly FieldCase[]): fc.Arbitrary<unknown> => {
  const key = fc
    .tuple(fc.constantFrom(...cases.filter(({ sorts }) => sorts)), fc.constantFrom('asc', 'desc'), fc.nat({ max: 3 }))
    .map(([{ spellings }, direction, form]) => {
      const field = spellings[form % spellings.length] ?? '';
      return { field, spelled: form < 2 ? `${field}:${direction}` : { field, direction } };
    });
  const bare = (name: string): string => name.replace(/^custom__/, '');
  const keys = fc.uniqueArray(key, { minLength: 1, maxLength: 3, selector: ({ field }) => bare(field) });
  return fc.oneof(
    { weight: 1, arbitrary: fc.constant(undefined) },
    { weight: 3, arbitrary: key.map(({ spelled }) => spelled) },
    { weight: 4, arbitrary: keys.map((some) => some.map(({ spelled }) => spelled)) },
  );
};

const words = (searched: readonly string[]): fc.Arbitrary<string> => {
  const word = fc
    .tuple(fc.constantFrom(...searched, ...texts), fc.nat({ max: 9 }), fc.integer({ min: 1, max: 12 }), fc.boolean())
    .map(([text, from, length, isUpper]) => {
      const piece = Array.from(text)
        .slice(from, from + length)
        .join('');
      return isUpper ? piece.toUpperCase() : piece;
    });
  return fc.array(word, { minLength: 1, maxLength: 2 }).map((some) => some.join(' '));
};

const limit = fc.oneof(
  { weight: 1, arbitrary: fc.integer({ min: 1, max: 4 }) },
  { weight: 5, arbitrary: fc.integer({ min: 8, max: 60 }) },
  { weight: 3, arbitrary: fc.integer({ min: 61, max: 500 }) },
);

/** A value once in `onceIn` times, otherwise undefined. */
const sometimes = <T>(onceIn: number, arbitrary: fc.Arbitrary<T>): fc.Arbitrary<T | undefined> =>
  fc.oneof({ weight: onceIn - 1, arbitrary: fc.constant(undefined) }, { weight: 1, arbitrary });

const scopesOf = ({ setup }: World, objectType: ObjectType): readonly Question[] => [
  {},
  ...(objectType === 'opportunity' ? setup.pipelines : []).flatMap(({ id, stages: [first, second] }) => [
    { pipeline_id: id },
    ...(first === undefined ? [] : [{ pipeline_id: id, stage_id: first.id }]),
    ...(second === undefined ? [] : [{ stage_id: second.id }]),
  ]),
];

/** Searches of one object whose filters contain a comparison of the pair. */
export const questionsAbout = (world: World, objectType: ObjectType, pair: Pair): fc.Arbitrary<AskedQuestion> => {
  const fieldIndex = world.setup.fieldIndex(objectType, null);
  const pairs = pairsOf(fieldIndex);
  const own = pair.fields.filter(({ sorts }) => sorts);
  const searched = world.records[objectType].flatMap((record) => record.searched);
  return fc
    .record({
      filters: filterTree(
        comparison(world, fieldIndex, [pair]),
        comparisonsOfOne(world, fieldIndex, pair, pairs),
        comparison(world, fieldIndex, pairs),
        fieldIndex,
      ),
      // Half of the sorts use a field of the pair, so that none is left to chance.
      sort: fc.oneof(sortOf(fieldCasesOf(fieldIndex)), sortOf(own.length > 0 ? own : fieldCasesOf(fieldIndex))),
      limit,
      query: sometimes(6, words(searched)),
      fields: sometimes(3, fc.constantFrom('custom_fields', 'created_at,version', 'id', 'string_16')),
      scope: fc.constantFrom(...scopesOf(world, objectType)),
    })
    .map(({ scope, ...body }) => ({
      objectType,
      question: JSON.parse(JSON.stringify({ ...body, ...scope })) as AskedQuestion['question'],
    }));
};
