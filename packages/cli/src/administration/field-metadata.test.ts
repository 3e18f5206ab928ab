import { describe, expect, it } from '@jest/globals';

import { readFieldMetadata } from './field-metadata.js';

describe('readFieldMetadata', () => {
  it('accepts the properties of the type', () => {
    expect(readFieldMetadata('rating', { max: 7 })).toEqual({ max: 7 });
    expect(readFieldMetadata('currency', {})).toBeNull();
    expect(readFieldMetadata('radio', { options: [{ label: 'A' }] })).toMatchObject({ options: [{ value: 'A' }] });
  });

  it.each([
    ['number', { max: 5 }, '--max does not apply to fields of the type number.'],
    ['rating', { max: 5, options: [{ label: 'A' }] }, '--option does not apply to fields of the type rating.'],
    ['select', {}, '--option: a field of the type select needs at least one option.'],
    ['currency', { currency: 'euro' }, '--currency: must be an ISO 4217 code'],
    ['select', { options: [{ label: 'A' }, { label: 'a' }] }, '--option[1]: label: is used by another option: "a"'],
  ] as const)('names the option at fault: %s %j', (type, given, message) => {
    expect(() => readFieldMetadata(type, given)).toThrow(message);
  });
});
