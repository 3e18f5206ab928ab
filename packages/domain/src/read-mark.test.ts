import { describe, expect, test } from '@jest/globals';
import fc from 'fast-check';

import { decodeReadMark, encodeReadMark, type ReadMark } from './read-mark.js';

const marks: fc.Arbitrary<ReadMark> = fc.record({
  cluster: fc.bigInt({ min: -(2n ** 63n), max: 2n ** 63n - 1n }),
  kind: fc.constantFrom('transaction', 'position'),
  value: fc.bigInt({ min: 0n, max: 2n ** 64n - 1n }),
});

describe('a read mark', () => {
  test('decodes to the mark that was encoded', () => {
    fc.assert(fc.property(marks, (mark) => expect(decodeReadMark(encodeReadMark(mark))).toEqual(mark)));
  });

  test('is null for any other text', () => {
    const good = encodeReadMark({ cluster: 1n, kind: 'transaction', value: 2n });
    const others = [
      '',
      ' ',
      'x',
      `${good}=`,
      `${good} `,
      `${good}A`,
      good.slice(1),
      `/${good.slice(1)}`,
      `A${good.slice(1)}`,
    ];
    for (const text of [...others, `${good.slice(0, -1)}B`, 'z'.repeat(good.length), '1/2F5A', '7390283']) {
      expect(decodeReadMark(text)).toBeNull();
    }
  });

  test('is canonical: encoding a decoded text gives the same text', () => {
    const texts = fc.string({
      minLength: 23,
      maxLength: 23,
      unit: fc.constantFrom('A', 'E', 'I', 'Q', 'g', 'w', '0', '1', '2', '_', '-'),
    });
    fc.assert(
      fc.property(texts, (text) => {
        const mark = decodeReadMark(text);
        if (mark !== null) expect(encodeReadMark(mark)).toBe(text);
      }),
    );
  });
});
