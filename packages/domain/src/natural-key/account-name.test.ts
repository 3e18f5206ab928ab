import { describe, expect, it } from '@jest/globals';
import fc from 'fast-check';
import { accountNameFromDomain } from './account-name.js';
import { normalizeDomain } from './domain.js';
import { normalizeName } from './name.js';

/** First letters of any script. The upper case of some has several code points. */
const international = fc
  .tuple(
    fc.oneof(fc.constantFrom('ΐ', 'ΰ', 'ǰ', 'ẖ', 'և'), fc.string({ unit: 'grapheme', minLength: 1, maxLength: 1 })),
    fc.constantFrom('', 'a', 'λφα', '\u0301'),
  )
  .map(([first, rest]) => `${first}${rest}.example`);

describe('accountNameFromDomain', () => {
  it('gives every domain a name that is valid', () => {
    fc.assert(
      fc.property(fc.oneof(fc.domain(), international), (input) => {
        const result = normalizeDomain(input);
        if (!result.ok) return;
        const name = accountNameFromDomain(result.value.domain);
        expect(normalizeName(name)).toEqual({ ok: true, value: name });
      }),
    );
  });

  it('capitalizes one letter, even where Unicode would make two of it', () => {
    expect(accountNameFromDomain('xn--alon-una.de')).toBe('Ssalon');
  });
});
