import { describe, expect, it } from '@jest/globals';
import fc from 'fast-check';
import { codePointLength } from '../text.js';
import { normalizeName, normalizeOptionalName } from './name.js';

describe('normalizeName', () => {
  it('returns a name that it leaves unchanged: NFC, trimmed, at most 255 code points', () => {
    fc.assert(
      fc.property(fc.string({ unit: 'binary', maxLength: 300, size: 'max' }), (input) => {
        const result = normalizeName(input);
        if (!result.ok) return;
        expect(normalizeName(result.value)).toEqual(result);
        expect(result.value).toBe(result.value.normalize('NFC').trim());
        expect(codePointLength(result.value)).toBeLessThanOrEqual(255);
      }),
    );
  });

  it('says how long a name is that is too long', () => {
    expect(normalizeName('😀'.repeat(300))).toEqual({
      ok: false,
      message: 'must have at most 255 characters; this has 300',
    });
  });
});

describe('normalizeOptionalName', () => {
  it('returns null for a blank name', () => {
    expect(normalizeOptionalName(' \u200b ')).toEqual({ ok: true, value: null });
  });

  it('refuses everything else that normalizeName refuses', () => {
    expect(normalizeOptionalName('n'.repeat(256)).ok).toBe(false);
    expect(normalizeOptionalName('\ud800').ok).toBe(false);
  });
});
