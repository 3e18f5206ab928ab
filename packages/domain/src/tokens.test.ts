import { describe, expect, it } from '@jest/globals';
import fc from 'fast-check';
import { accepted, define, testFieldIndex } from '../tests/query-fields.js';
import { anyCharacter, propertyRuns } from '../tests/random.js';
import { generateApiKey, hashApiKey, parseApiKey } from './api-key.js';
import { ApiError } from './errors.js';
import { createCursorCodec, maxCursorLength, type CursorBinding, type CursorPosition } from './query/cursor.js';
import type { FilterNode } from './query/filter/tree.js';
import { parseSort } from './query/sort.js';
import { decodeReadMark, encodeReadMark, type ReadMark } from './read-mark.js';

const numRuns = propertyRuns({ short: 50, soak: 10_000 });

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

const secret = 'a secret of enough characters';
const otherSecret = 'another secret of enough characters';
const codec = createCursorCodec([secret]);

const sort = accepted((errors) => parseSort('seats:desc', testFieldIndex, 'updated_at', errors));
const seats = define('seats', 'number');
const leaf = (value: number): FilterNode => ({
  kind: 'leaf',
  field: { source: 'custom', definition: seats },
  operator: 'gt',
  value,
});
const binding = {
  organizationId: '01890000-0000-7000-8000-000000000001',
  operation: 'searchOpportunities',
  limit: 50,
  words: ['acme'],
  filters: leaf(1),
  sort,
  pipelineId: '01890000-0000-7000-8000-000000000002',
  stageId: '01890000-0000-7000-8000-000000000003',
  accountId: null,
  contactId: null,
  opportunityId: null,
} satisfies CursorBinding;
const position: CursorPosition = ['1732000000000.123456', null, '01890000-0000-7000-8000-000000000004'];
const cursor = codec.encode(binding, position);

const isRefused = (text: string, of: CursorBinding = binding, by = codec): boolean => {
  try {
    by.decode(text, of);
    return false;
  } catch (error) {
    return error instanceof ApiError && error.status === 400 && error.errors?.['cursor'] !== undefined;
  }
};

describe('a cursor', () => {
  it('returns its position for an equal binding', () => {
    expect(codec.decode(cursor, structuredClone(binding))).toEqual(position);
    expect(cursor).toMatch(/^[A-Za-z0-9_-]+$/);
  });

  it('carries any text unaltered', () => {
    const key = fc.option(fc.string({ unit: anyCharacter, maxLength: 200 }), { nil: null });
    fc.assert(
      fc.property(fc.array(key, { maxLength: 5 }), (keys) => {
        const text = codec.encode(binding, keys);
        expect(codec.decode(text, binding)).toEqual(keys);
        expect(codec.encode(binding, codec.decode(text, binding) ?? [])).toBe(text);
      }),
      { numRuns: numRuns / 5 },
    );
  });

  it('fits with three keys of 200 characters that JSON escapes', () => {
    const widest = '\u0001'.repeat(200);
    expect(codec.encode(binding, [widest, widest, widest, ...position]).length).toBeLessThan(maxCursorLength);
    expect(() => codec.encode(binding, ['x'.repeat(10_000)])).toThrow(RangeError);
  });

  it('counts as absent if it is null, undefined or blank', () => {
    for (const text of [null, undefined, '', '  ']) expect(codec.decode(text, binding)).toBeNull();
  });

  it('is refused if two parts of the binding are swapped', () => {
    const swapped = { ...binding, pipelineId: binding.stageId, stageId: binding.pipelineId };
    expect(isRefused(cursor, swapped)).toBe(true);
    const merged = { ...binding, filters: null, words: ['acme', 'null'] };
    expect(isRefused(codec.encode(merged, position), { ...merged, words: ['acme'] })).toBe(true);
  });

  it('stays valid with a new signing secret as long as the old one still verifies', () => {
    expect(createCursorCodec([otherSecret, secret]).decode(cursor, binding)).toEqual(position);
    expect(isRefused(cursor, binding, createCursorCodec([otherSecret]))).toBe(true);
    expect(createCursorCodec([otherSecret, secret]).encode(binding, position)).not.toBe(cursor);
  });

  it('cannot be made with a short secret', () => {
    expect(() => createCursorCodec(['short'])).toThrow(RangeError);
    expect(() => createCursorCodec([secret, ''])).toThrow(RangeError);
  });
});
