import { describe, expect, it } from '@jest/globals';
import fc from 'fast-check';
import { accountNameFromDomain } from './account-name.js';
import { normalizeDomain } from './domain.js';
import { normalizeName } from './name.js';

describe('accountNameFromDomain', () => {
  it('names every domain in a form that is valid as a name', () => {
    fc.assert(
      fc.property(fc.domain(), (input) => {
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
