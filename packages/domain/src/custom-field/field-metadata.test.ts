import { describe, expect, it } from '@jest/globals';
import { attributeTypes, type AttributeType } from './definition.js';
import { maxOptions, optionColors, parseFieldMetadata } from './field-metadata.js';

const withOptions = new Set<AttributeType>(['select', 'radio', 'multi_select']);
const withKeys = new Set<AttributeType>([...withOptions, 'currency', 'rating']);

const refusal = (type: AttributeType, input: unknown): string => {
  const parsed = parseFieldMetadata(type, input);
  return parsed.ok ? '' : parsed.message;
};

describe('parseFieldMetadata', () => {
  it.each(attributeTypes.filter((type) => !withKeys.has(type)))('accepts no metadata for %s', (type) => {
    expect(parseFieldMetadata(type, undefined)).toEqual({ ok: true, value: null });
    expect(parseFieldMetadata(type, null)).toEqual({ ok: true, value: null });
    expect(parseFieldMetadata(type, {})).toEqual({ ok: true, value: null });
    expect(refusal(type, { max: 3 })).toBe(`max: does not apply to fields of the type ${type}`);
  });

  it.each([...withOptions])('fills in the defaults of %s and accepts its own result', (type) => {
    const parsed = parseFieldMetadata(type, {
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
    expect(parsed).toEqual({ ok: true, value: { options } });
    expect(parseFieldMetadata(type, { options })).toEqual(parsed);
  });

  it('assigns colours in turn', () => {
    const options = Array.from({ length: maxOptions }, (_, index) => ({ label: `Option ${index}` }));
    const parsed = parseFieldMetadata('select', { options });
    expect(parsed.ok && parsed.value?.options?.[optionColors.length]?.color).toBe(optionColors[0]);
    expect(refusal('select', { options: [...options, { label: 'One more' }] })).toContain('at most 500');
  });

  it.each([
    [undefined, 'at least one'],
    [{ options: [] }, 'at least one'],
    [{ options: 'Hot' }, 'at least one'],
    [{ options: ['Hot'] }, 'options[0]: must be an object'],
    [{ options: [{ value: 'hot' }] }, 'options[0]: label: must be a string'],
    [{ options: [{ label: ' ' }] }, 'options[0]: label: must not be blank: send at least one visible character'],
    [{ options: [{ label: 'x'.repeat(256) }] }, 'label: must have at most 255'],
    [{ options: [{ label: 'Hot', value: 5 }] }, 'value: must be a string'],
    [{ options: [{ label: 'Hot', color: 'crimson' }] }, 'color: must be #rrggbb or one of'],
    [{ options: [{ label: 'Hot', archived: 'yes' }] }, 'archived: must be'],
    [{ options: [{ label: 'Hot', icon: 'x' }] }, '"icon"'],
    [
      {
        options: [
          { label: 'A', value: 'x' },
          { label: 'B', value: 'x', archived: true },
        ],
      },
      'options[1]: value: is used by another option: "x"',
    ],
    [
      {
        options: [
          { label: 'A', value: 'x' },
          { label: 'a', value: 'y' },
        ],
      },
      'options[1]: label: is used by another option: "a"',
    ],
    [{ options: [{ label: 'A' }], max: 5 }, 'max: does not apply to fields of the type select'],
    [[], 'must be an object or null'],
  ])('refuses %j for a select', (input, message) => expect(refusal('select', input)).toContain(message));

  it('accepts a currency code of three capitals, or none', () => {
    expect(parseFieldMetadata('currency', { currency: 'EUR' })).toEqual({ ok: true, value: { currency: 'EUR' } });
    expect(parseFieldMetadata('currency', null)).toEqual({ ok: true, value: null });
    for (const currency of ['eur', 'EURO', '€', 978, 'EU\n'])
      expect(refusal('currency', { currency })).toContain('ISO 4217');
  });

  it('fills in the maximum of a rating', () => {
    expect(parseFieldMetadata('rating', null)).toEqual({ ok: true, value: { max: 5 } });
    expect(parseFieldMetadata('rating', { max: 100 })).toEqual({ ok: true, value: { max: 100 } });
    for (const max of [0, 101, 2.5, '5', NaN]) expect(refusal('rating', { max })).toContain('from 1 to 100');
  });
});
