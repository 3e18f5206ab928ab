import { createHash } from 'node:crypto';
import { describe, expect, it } from '@jest/globals';
import { normalizeDomain } from './domain.js';
import { freeMailDomains, isFreeMail } from './free-mail.js';

describe('isFreeMail', () => {
  it('reads a list of domains in the form in which it is asked', () => {
    for (const domain of freeMailDomains) {
      expect(normalizeDomain(domain)).toEqual({ ok: true, value: { domain, display: domain } });
      expect(isFreeMail(domain)).toBe(true);
    }
  });

  it('uses the very list that stored opportunities were keyed by', () => {
    // A new list re-keys opportunities without an account: adopt one only with a migration of their keys.
    const digest = createHash('sha256')
      .update([...freeMailDomains].sort().join('\n'))
      .digest('hex');
    expect(digest).toBe('698fa32149e334650eae9f18ea8d14fd86ef2c40d3374d1ce70484a8a925685b');
  });
});
