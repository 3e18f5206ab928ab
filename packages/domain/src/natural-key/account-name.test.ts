import { describe, expect, it } from '@jest/globals';
import fc from 'fast-check';
import { accountNameFromDomain } from './account-name.js';
import { normalizeDomain } from './domain.js';
import { normalizeName } from './name.js';

/** A first letter of any script: the upper case of some is several code points. */
const international = fc
  .tuple(
    fc.oneof(fc.constantFrom('ΐ', 'ΰ', 'ǰ', 'ẖ', 'և'), fc.string({ unit: 'grapheme', minLength: 1, maxLength: 1 })),
    fc.constantFrom('', 'a', 'λφα', '\u0301'),
  )
  .map(([first, rest]) => `${first}${rest}.example`);

describe('accountNameFromDomain', () => {
  it('names every domain in a form that is valid as a name', () => {
    fc.assert(
      fc.property(fc.oneof(fc.domain(), international), (input) => {
        const result = normalizeDomain(input);
        if (!result.ok) return;
        const name = accountNameFromDomain(result.value.domain);
        expect(normalizeName(name)).toEqual({ ok: true, value: name });
      }),
    );
  });

  it('puts one letter in upper case, even where Unicode would make two of it', () => {
    expect(accountNameFromDomain('xn--alon-una.de')).toBe('Ssalon');
  });
});
