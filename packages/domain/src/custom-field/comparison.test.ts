import { describe, expect, it } from '@jest/globals';
import { definitionOf } from '../../tests/definition-fixture.js';
import {
  comparisonKey,
  comparisonKind,
  normalizedForm,
  isNormalized,
  slotKind,
  type ComparisonKind,
} from './comparison.js';
import type { CustomValue } from './custom-value.js';
import { attributeTypes, type AttributeType } from './definition.js';

const keyOf = (type: AttributeType, value: CustomValue | null | undefined) => comparisonKey(definitionOf(type), value);

describe('comparisonKind and slotKind', () => {
  it('gives every type its kind of comparison and slot', () => {
    const ofKind = (kind: ComparisonKind) => attributeTypes.filter((type) => comparisonKind(type) === kind);
    const kinds = ['text', 'number', 'set', 'range', 'location'] as const;
    expect(Object.fromEntries(kinds.map((kind) => [kind, ofKind(kind)]))).toEqual({
      text: ['string', 'date', 'select', 'time', 'datetime', 'email', 'phone', 'website', 'url', 'radio'],
      number: ['number', 'checkbox', 'rating', 'timestamp', 'currency', 'percentage'],
      set: ['multi_select', 'team_members'],
      range: ['date_range'],
      location: ['location'],
    });
    expect(attributeTypes.filter((type) => slotKind(type) === null)).toEqual([
      'date_range',
      'multi_select',
      'location',
      'team_members',
    ]);
    expect(attributeTypes.filter(isNormalized)).toEqual(['string', 'email', 'phone', 'website', 'url']);
  });
});

describe('comparisonKey', () => {
  it('normalizes text that people write: composed and lower case', () => {
    expect(keyOf('string', 'CAFE\u0301')).toBe('café');
    expect(keyOf('url', 'https://example.com/A')).toBe('https://example.com/a');
  });

  it('leaves options, dates and times unchanged', () => {
    expect(keyOf('select', 'Hot')).toBe('Hot');
    expect(keyOf('radio', 'Hot')).toBe('Hot');
    expect(keyOf('datetime', '2026-02-28T09:30:00.000Z')).toBe('2026-02-28T09:30:00.000Z');
    expect(keyOf('time', '09:30:00')).toBe('09:30:00');
  });

  it('gives numbers for numbers and checkboxes', () => {
    expect(keyOf('currency', 12.5)).toBe(12.5);
    expect(keyOf('timestamp', -1)).toBe(-1);
    expect([keyOf('checkbox', false), keyOf('checkbox', true)]).toEqual([0, 1]);
  });

  it('is null for a missing value, for types with several parts, and for a value of another type', () => {
    expect([keyOf('string', null), keyOf('number', undefined), keyOf('number', 'x'), keyOf('string', 5)]).toEqual(
      Array(4).fill(null),
    );
    expect(keyOf('multi_select', ['a'])).toBeNull();
    expect(keyOf('date_range', { start: '2026-01-01', end: null })).toBeNull();
  });
});

describe('normalizedForm', () => {
  it('normalizes only text-like values and the parts of locations', () => {
    expect(normalizedForm(definitionOf('string'), 'ÄB')).toBe('äb');
    const berlin = { address: null, city: 'BERLIN', region: null, postal_code: null, country: 'DE' };
    expect(normalizedForm(definitionOf('location'), { ...berlin, lat: 1, lng: 2, formatted: 'BERLIN, DE' })).toEqual({
      ...berlin,
      city: 'berlin',
      country: 'de',
      formatted: 'berlin, de',
    });
    expect(normalizedForm(definitionOf('select'), 'Hot')).toBeNull();
    expect(normalizedForm(definitionOf('location'), null)).toBeNull();
    expect(normalizedForm(definitionOf('string'), null)).toBeNull();
  });
});
