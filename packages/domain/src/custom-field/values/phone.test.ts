import { expect, it } from '@jest/globals';
import { valueReaders } from '../../objects/value-readers.js';
import { parsePhone } from './phone.js';

/** Texts that people write, and what is stored. */
const phones: readonly (readonly [string, string])[] = [
  ['+49 (0)30 1234567', '+49301234567'],
  ['+49(0)301234567', '+49301234567'],
  ['+49 [0] 30 1234567', '+49301234567'],
  ['+49 (030) 1234567', '+49301234567'],
  ['+490301234567', '+49301234567'],
  ['+44 (0)20 7946 0958', '+442079460958'],
  ['+41 (0)44 668 18 00', '+41446681800'],
  ['+31 (0)20 123 4567', '+31201234567'],
  ['+33 (0)1 23 45 67 89', '+33123456789'],
  ['+61 (0)2 1234 5678', '+61212345678'],
  ['+7 (8) 495 123-45-67', '+74951234567'],
  ['+39 (0)6 1234 5678', '+390612345678'],
  ['+39 06 1234 5678', '+390612345678'],
  ['+225 01 23 45 67 89', '+2250123456789'],
  ['\u202a+49\u00a030\u20111234567\u202c', '+49301234567'],
  // The length fits the country: no digit is dropped, so the number need not be in use.
  ['+47 12345678', '+4712345678'],
  // Several readings, or none.
  ...[
    ...['+1 415 555 0123 ext 4', '+1 415 555 0123 x4', '+1 415 555 0123 #4', '+1 415 555 0123, 4', '+49 30 12345/6'],
    ...['+49 30 1234567 / +49 30 7654321', '+1 415 555 0123; +1 415 555 0124', '+49 30 1234567 (office)'],
    ...['+39 (0)347 1234567', '+44 (0) (0)20 7946 0958', '+43 (0)1 12345', '+1 (0)415 555 0123', '+1-800-FLOWERS'],
    ...['+1234567890123456', '+999 123456789', '+0049 30 1234567', '++49 30 1234567', '+49', '+', '+4930'],
    ...['0800 CALL ANN', '(0)30 1234567', '00 49 30 1234567', 'x+49301234567', `+${'1'.repeat(9_000)}`],
  ].map((text) => [text, text] as const),
  [' 0800 CALL ANN ', '0800 CALL ANN'],
];

it.each(phones)('reads the phone %j as %j, and that as itself', (text, stored) => {
  for (const read of [parsePhone, valueReaders.phone]) {
    expect(read(text)).toEqual({ ok: true, value: stored });
    expect(read(stored)).toEqual({ ok: true, value: stored });
  }
});

it.each(['', ' ', ' \u200b\u2060\ufeff', '\u00ad'])('reads %j as blank', (text) => {
  expect(parsePhone(text).ok).toBe(false);
  expect(valueReaders.phone(text)).toEqual({ ok: true, value: null });
});
