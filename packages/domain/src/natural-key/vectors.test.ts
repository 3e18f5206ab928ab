import { describe, expect, it } from '@jest/globals';
import type { Result } from '../result.js';
import { accountNameFromDomain } from './account-name.js';
import { normalizeDomain } from './domain.js';
import { normalizeEmail } from './email.js';
import { isFreeMail } from './free-mail.js';
import { normalizeName } from './name.js';
import { accountNameVectors, freeMailVectors, naturalKeyVectors, type NaturalKeyVector } from './vectors.js';

const keyOf = ({ kind, input }: NaturalKeyVector): string | null => {
  if (kind === 'domain') return valueOf(normalizeDomain(input))?.domain ?? null;
  if (kind === 'email') return valueOf(normalizeEmail(input))?.email ?? null;
  return valueOf(normalizeName(input));
};

const valueOf = <T>(result: Result<T>): T | null => {
  if (result.ok) return result.value;
  expect(result.message).toMatch(/^(?:must|has|is) .{15,}[^.]$/u);
  return null;
};

describe('natural key vectors', () => {
  it.each(naturalKeyVectors)('$kind: $about', (vector) => {
    expect(keyOf(vector)).toBe(vector.expected);
  });

  it.each(freeMailVectors)('free mail: $domain', ({ domain, expected }) => {
    expect(isFreeMail(domain)).toBe(expected);
  });

  it.each(accountNameVectors)('account name: $domain', ({ domain, expected }) => {
    expect(accountNameFromDomain(domain)).toBe(expected);
  });

  it('have unique titles', () => {
    const titles = naturalKeyVectors.map(({ kind, about }) => `${kind}: ${about}`);
    expect(new Set(titles).size).toBe(titles.length);
  });

  it('expect keys that normalize to themselves, apart from a second www', () => {
    for (const { kind, expected, about } of naturalKeyVectors) {
      if (expected === null || about === 'only one www is dropped') continue;
      expect(keyOf({ kind, input: expected, expected, about })).toBe(expected);
    }
  });
});
