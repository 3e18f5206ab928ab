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

/** Any JSON value, with hostile texts as values and keys. */
export const hostileValue = (): fc.Arbitrary<unknown> =>
  fc.letrec<{ value: unknown }>((tie) => ({
    value: fc.oneof(
      { depthSize: 'small', withCrossShrink: true },
      hostileText(),
      fc.constantFrom(null, true, false, 0, -1, 1e15, 9_007_199_254_740_993, 1.234_567, Number.MAX_VALUE, [], {}),
      fc.double({ noNaN: true, noDefaultInfinity: true }),
      fc.array(tie('value'), { maxLength: 4 }),
      fc.dictionary(
        fc.oneof(fc.constantFrom('and', 'or', 'not', 'field', 'value', '__proto__'), hostileText()),
        tie('value'),
        { maxKeys: 4 },
      ),
    ),
  })).value;

/** Request headers with any value, by lower-case name. */
export const hostileHeaders: fc.Arbitrary<Readonly<Record<string, string>>> = fc.dictionary(
  fc.constantFrom(
    ...['content-type', 'x-request-id', 'idempotency-key', 'if-match', 'x-read-after', 'accept', 'traceparent'],
  ),
  fc.oneof(
    fc.constantFrom('application/json', 'text/plain', 'application/json; charset=utf-16', '*', '"1"', '"1", "2"', ','),
    // The characters that a client can send in a header.
    fc.string({ unit: fc.integer({ min: 0x21, max: 0x7e }).map((code) => String.fromCharCode(code)), maxLength: 300 }),
  ),
  { maxKeys: 3 },
);
