import fc from 'fast-check';

import { combiningMarks } from './combining-marks.js';

/** Inputs that often break programs: NUL, lone surrogates, bidi marks, SQL, patterns, numbers, names of prototypes. */
const fragments = [
  ...['\u0000', '\ud800', '\udfff', '\u202e', '\u200b', '\ufeff', '\u0085', '\r\n', '\u001b[2J', 'e\u0301', '\uffff'],
  ...['\u{1f469}\u200d\u{1f680}', 'İ', 'ß', '%', '_', '\\', "'; DROP TABLE accounts; --", '$1', '${7*7}', '<script>'],
  ...['../../etc/passwd', '1e400', '-0', 'NaN', 'null', '__proto__', 'constructor', 'a', 'Acme '],
];

/**
 * Arbitrary texts, including long ones. A function, because building them takes long and most tests do not need them.
 */
export const hostileText = (): fc.Arbitrary<string> =>
  fc.oneof(
    { weight: 4, arbitrary: fc.array(fc.constantFrom(...fragments), { maxLength: 8 }).map((parts) => parts.join('')) },
    { weight: 3, arbitrary: fc.string({ unit: 'binary', maxLength: 40 }) },
    { weight: 2, arbitrary: fc.string({ unit: 'grapheme', maxLength: 300 }) },
    {
      weight: 1,
      arbitrary: fc.constantFrom(29, 30, 31, 255, 2_000, 20_000).map((count) => `a${combiningMarks(count)}`),
    },
    { weight: 1, arbitrary: fc.integer({ min: 200, max: 60_000 }).map((length) => 'x'.repeat(length)) },
  );
