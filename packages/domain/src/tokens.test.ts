import { describe, expect, it } from '@jest/globals';
import fc from 'fast-check';
import { propertyRuns } from '../tests/random.js';
import { generateApiKey, hashApiKey, parseApiKey } from './api-key.js';
import { decodeReadMark, encodeReadMark, type ReadMark } from './read-mark.js';

const numRuns = propertyRuns({ short: 30, soak: 5_000 });

describe('API keys', () => {
  it('are generated in the documented form, all differ, and are accepted', () => {
    const keys = Array.from({ length: 50 }, generateApiKey);
    for (const key of keys) expect([parseApiKey(key), /^crm_live_[0-9A-Za-z]{36}$/.test(key)]).toEqual([key, true]);
    expect(new Set(keys).size).toBe(50);
  });

  it('are refused if any one character differs', () => {
    const key = generateApiKey();
    for (let i = 0; i < key.length; i++) {
      const other = key[i] === 'a' ? 'b' : 'a';
      expect(parseApiKey(key.slice(0, i) + other + key.slice(i + 1))).toBeNull();
    }
  });

  it('are refused with anything before, after or missing', () => {
    const key = generateApiKey();
    const others = ['', ` ${key}`, `${key}\n`, `${key}, ${key}`, key.slice(1), key.slice(0, -1), `${key}0`];
    for (const text of others) expect(parseApiKey(text)).toBeNull();
  });

  it('have a checksum that stays the same across releases, and are hashed with SHA-256', () => {
    expect(parseApiKey(`crm_live_${'0'.repeat(30)}0tFBc1`)).not.toBeNull();
    expect(hashApiKey('abc').toString('hex')).toBe('ba7816bf8f01cfea414140de5dae2223b00361a396177a9cb410ff61f20015ad');
  });
});

const marks: fc.Arbitrary<ReadMark> = fc.record({
  cluster: fc.bigInt({ min: -(2n ** 63n), max: 2n ** 63n - 1n }),
  kind: fc.constantFrom('transaction', 'position'),
  value: fc.bigInt({ min: 0n, max: 2n ** 64n - 1n }),
});

describe('a read mark', () => {
  it('decodes to the mark that was encoded', () => {
    fc.assert(
      fc.property(marks, (mark) => expect(decodeReadMark(encodeReadMark(mark))).toEqual(mark)),
      { numRuns },
    );
  });

  it('is null for any other text', () => {
    const good = encodeReadMark({ cluster: 1n, kind: 'transaction', value: 2n });
    const tails = [`${good}=`, `${good} `, `${good}A`, good.slice(1), `/${good.slice(1)}`, `${good.slice(0, -1)}B`];
    for (const text of ['', ' ', ...tails, 'z'.repeat(good.length), '1/2F5A', '7390283']) {
      expect(decodeReadMark(text)).toBeNull();
    }
  });

  it('is canonical: encoding a decoded text gives the same text', () => {
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
      { numRuns },
    );
  });
});
