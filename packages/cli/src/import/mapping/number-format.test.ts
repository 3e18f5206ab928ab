import { describe, expect, it } from '@jest/globals';

import { compileStep } from './transforms.js';

const run = (format: unknown, text: string): unknown => {
  const step = compileStep('number', { value: format });
  if (!step.ok) return `argument: ${step.message}`;
  if (step.value.kind === 'split') return 'split';
  const result = step.value.apply(text);
  return result.ok ? result.value : `refused: ${result.message}`;
};

const german = { decimal: ',', group: '.' };
const english = { group: ',' };

describe('number', () => {
  it.each([
    [german, '1.234.567,89', 1234567.89],
    [german, '-12.345', -12345],
    [german, '1234567,89', 1234567.89],
    [english, '1,234.5', 1234.5],
    [english, '999,999,999,999.999', 999999999999.999],
    [english, '12,34,567', 1234567],
    [english, '1,23,45,678.50', 12345678.5],
    [{ group: ' ' }, '+1 234', 1234],
    [{ group: '\u00a0', decimal: ',' }, '1\u00a0234,5', 1234.5],
    [{ group: "'" }, "1'234'567", 1234567],
    [{ decimal: ',' }, '0012,50', 12.5],
  ])('%j reads %s', (format, text, expected) => {
    expect(run(format, text)).toBe(expected);
  });

  it.each([
    [german, '1234.5'],
    [german, '1.5'],
    [german, '0.500'],
    [german, '1234.567'],
    [german, '1.234.5'],
    [german, '1,234.567'],
    [german, '1.2345,6'],
    [german, '.123,4'],
    [german, '1..234'],
    [german, '1.234.'],
    [english, '1,5'],
    [english, '1,50'],
    [english, '1.5,000'],
    [english, '1,234,56'],
    [english, '12,34,567,890'],
    [english, '123,45,678'],
    [english, '0,12,345'],
    [{ group: ' ' }, '12 34'],
    [{ decimal: ',' }, '1.5'],
    [{ decimal: ',' }, '1,5,0'],
  ])('%j refuses %s, which it could misread', (format, text) => {
    expect(run(format, text)).toMatch(/^refused: .* is not a number such as /);
  });

  it.each(['999999999999.99998', '1.0000000000000001', '9007199254740993', '1,234,567,890,123,456'])(
    'refuses %s, which has more digits than a JSON number can store',
    (text) => {
      expect(run(english, text)).toMatch(/^refused: .* has more than 15 digits/);
    },
  );

  it.each([
    [{ group: '.' }, /must differ/],
    [{ decimal: ',', group: ',' }, /must differ/],
    [{ group: '0' }, /one character/],
    [{ group: '-' }, /one character/],
    [{ group: ', ' }, /one character/],
    [{ thousands: ',' }, /takes only decimal/],
  ])('%j is refused in the mapping', (format, message) => {
    expect(run(format, '1')).toMatch(message);
  });
});
