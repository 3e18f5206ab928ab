import { createHash } from 'node:crypto';
import { describe, expect, it } from '@jest/globals';
import { normalizeDomain } from './domain.js';
import { freeMailDomains, isFreeMail } from './free-mail.js';

describe('isFreeMail', () => {
  it('has its list in normalized form', () => {
    for (const domain of freeMailDomains) {
      expect(normalizeDomain(domain)).toEqual({ ok: true, value: { domain, display: domain } });
      expect(isFreeMail(domain)).toBe(true);
    }
  });

  it('uses the same list by which stored opportunities were keyed', () => {
    // A new list changes the keys of opportunities without an account. Adopt one only with a migration of these keys.
    const digest = createHash('sha256')
      .update([...freeMailDomains].sort().join('\n'))
      .digest('hex');
    expect(digest).toBe('698fa32149e334650eae9f18ea8d14fd86ef2c40d3374d1ce70484a8a925685b');
  });
});
