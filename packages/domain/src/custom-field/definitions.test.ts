import { describe, expect, it } from '@jest/globals';
import fc from 'fast-check';
import { anyCharacter, propertyRuns } from '../../tests/random.js';
import { definitionOf, stageOptions } from '../../tests/definition-fixture.js';
import { accepted, errorsOf } from '../../tests/query-fields.js';
import { attributeTypes, type AttributeType } from './attribute-types.js';
import { maxSlugLength, parseSlug, slugFromName } from './definition-rules.js';
import { definitionsMap } from './definitions-map.js';
import { maxOptions, optionColors, parseFieldMetadata, type SentSettings } from './field-metadata.js';

describe('slugs', () => {
  it('begin with a letter and have at most 63 letters, digits and underscores', () => {
    for (const slug of ['a', 'lead_source', 'x2', 'a'.repeat(63)]) {
      expect(parseSlug(slug)).toEqual({ ok: true, value: slug });
    }
    const others = ['', '2x', '_x', 'Lead', 'lead-source', 'a b', 'é', 'a\n', 'a'.repeat(64), '__proto__', 5, null];
    expect(others.filter((slug) => parseSlug(slug).ok)).toEqual([]);
    expect(parseSlug('constructor')).toEqual({ ok: false, message: '"constructor" is reserved' });
  });

  it.each([
    ['Größe (cm)', 'grosse_cm'],
    ['  Éléments & Co. ', 'elements_co'],
    ['2nd contact', 'field_2nd_contact'],
    ['Constructor', 'field_constructor'],
    ['__proto__', 'proto'],
    ['x'.repeat(80), 'x'.repeat(maxSlugLength)],
    ['年収', null],
    ['', null],
  ])('are made from the name %j: %s', (name, slug) => expect(slugFromName(name)).toBe(slug));

  it('that are made from any name are valid', () => {
    fc.assert(
      fc.property(fc.string({ unit: anyCharacter, maxLength: 300 }), (name) => {
        const slug = slugFromName(name);
        if (slug !== null) expect(parseSlug(slug)).toEqual({ ok: true, value: slug });
      }),
      { numRuns: propertyRuns({ short: 50, soak: 5_000 }) },
    );
  });
});

describe('definitionsMap', () => {
  it('gives every type exactly four properties', () => {
    const map = definitionsMap(attributeTypes.map((type) => definitionOf(type, { slot: 'text_1' })));
    expect(Object.keys(map)).toHaveLength(20);
    for (const type of attributeTypes) {
      expect(map[type]).toEqual({
        current_name: `The ${type}`,
        property_name: `custom__${type}`,
        attribute_type: type,
        metadata: ['select', 'radio', 'multi_select'].includes(type)
          ? { options: [] }
          : type === 'rating'
            ? { max: 5 }
            : null,
      });
    }
  });

  it('gives only the metadata of the type, and options with only label, value and color, including archived ones', () => {
    const metadata = { currency: 'EUR', max: 10, options: stageOptions };
    const types = ['currency', 'rating', 'string', 'select'] as const;
    const map = definitionsMap(types.map((type) => definitionOf(type, { metadata })));
    expect(types.map((type) => map[type]?.metadata)).toEqual([
      { currency: 'EUR' },
      { max: 10 },
      null,
      { options: stageOptions.map(({ label, value, color }) => ({ label, value, color })) },
    ]);
  });

  it('is ordered by position, then by slug, and has no inherited names', () => {
    const map = definitionsMap([
      definitionOf('string', { slug: 'c', position: 2 }),
      definitionOf('string', { slug: 'b', position: 1 }),
      definitionOf('string', { slug: 'a', position: 2 }),
    ]);
    expect(Object.keys(map)).toEqual(['b', 'a', 'c']);
    expect([map['constructor'], map['__proto__'], map['toString']]).toEqual([undefined, undefined, undefined]);
  });
});

const withOptions = new Set<AttributeType>(['select', 'radio', 'multi_select']);
const withKeys = new Set<AttributeType>([...withOptions, 'currency', 'rating']);

const option = (label: string, value: string) => ({ label, value });

const parse = (type: AttributeType, settings: SentSettings) =>
  accepted((errors) => parseFieldMetadata(type, settings, errors));
const refuse = (type: AttributeType, settings: SentSettings) =>
  errorsOf((errors) => parseFieldMetadata(type, settings, errors));

describe('parseFieldMetadata', () => {
  it.each(attributeTypes.filter((type) => !withKeys.has(type)))('accepts no metadata for %s', (type) => {
    for (const none of [{}, { options: undefined, max: null }]) expect(parse(type, none)).toBeNull();
    expect(refuse(type, { max: 3 })).toEqual({ max: `does not apply to fields of the type ${type}` });
  });

  it.each([...withOptions])('fills in the defaults of %s and accepts its own result', (type) => {
    const parsed = parse(type, {
      options: [
        { label: ' Hot ', value: 'hot', color: '#FF0000' },
        { label: 'Cold' },
        { label: 'Gone', value: 'gone', color: 'gray', archived: true },
        { label: 'gone', value: 'gone_2', color: null, archived: false },
      ],
    });
    const options = [
      { label: 'Hot', value: 'hot', color: '#ff0000' },
      { label: 'Cold', value: 'Cold', color: optionColors[1] },
      { label: 'Gone', value: 'gone', color: 'gray', archived: true },
      { label: 'gone', value: 'gone_2', color: optionColors[3] },
    ];
    expect(parsed).toEqual({ options });
    expect(parse(type, { options })).toEqual(parsed);
  });

  it('assigns colours in turn', () => {
    const options = Array.from({ length: maxOptions }, (_, index) => ({ label: `Option ${index}` }));
    expect(parse('select', { options })?.options?.[optionColors.length]?.color).toBe(optionColors[0]);
    expect(refuse('select', { options: [...options, { label: 'One more' }] })).toEqual({
      options: 'must have at most 500 options',
    });
  });

  const usedBy = (text: string) => `is used by another option: "${text}"`;
  it.each<[SentSettings, object]>([
    [{}, { options: 'must be an array of at least one option' }],
    [{ options: [] }, { options: 'must be an array of at least one option' }],
    [{ options: [{ label: ' ' }] }, { 'options[0].label': 'must not be blank: send at least one visible character' }],
    [
      { options: [{ label: 'x'.repeat(256), color: 'crimson' }] },
      {
        'options[0].label': 'must have at most 255 characters',
        'options[0].color': expect.stringContaining('must be #rrggbb or one of'),
      },
    ],
    [{ options: [option('A', 'x'), option('B', 'x')] }, { 'options[1].value': usedBy('x') }],
    [{ options: [option('A', 'x'), option('a', 'y')] }, { 'options[1].label': usedBy('a') }],
    [{ options: [{ label: 'A' }, { label: 'A' }] }, { 'options[1].label': usedBy('A') }],
    [{ options: [option('A', 'B'), { label: 'B' }] }, { 'options[1].value': usedBy('B') }],
    [
      { options: [option('A', 'x'), option('a', 'x')] },
      { 'options[1].label': usedBy('a'), 'options[1].value': usedBy('x') },
    ],
    [{ options: [{ label: 'A' }], max: 5 }, { max: 'does not apply to fields of the type select' }],
  ])('refuses %j for a select', (settings, errors) => expect(refuse('select', settings)).toEqual(errors));

  it('accepts a currency code of three capitals, or none', () => {
    expect(parse('currency', { currency: 'EUR' })).toEqual({ currency: 'EUR' });
    expect(parse('currency', {})).toBeNull();
    for (const currency of ['eur', 'EURO', '€', 'EU\n'])
      expect(refuse('currency', { currency })['currency']).toContain('ISO 4217');
  });

  it('fills in the maximum of a rating', () => {
    expect(parse('rating', {})).toEqual({ max: 5 });
    expect(parse('rating', { max: 100 })).toEqual({ max: 100 });
    for (const max of [0, 101, 2.5, NaN])
      expect(refuse('rating', { max })).toEqual({ max: 'must be an integer from 1 to 100' });
  });
});
