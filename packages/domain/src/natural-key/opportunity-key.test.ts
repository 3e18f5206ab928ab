import { describe, expect, it } from '@jest/globals';
import { opportunityAccountSource } from './opportunity-key.js';

const ann = { email: 'ann@acme.com', domain: 'acme.com' };
const bob = { email: 'bob@gmail.com', domain: 'gmail.com' };

describe('opportunityAccountSource', () => {
  it('uses the domain that was sent, whatever the primary contact', () => {
    expect(opportunityAccountSource('globex.com', ann)).toEqual({ kind: 'account', domain: 'globex.com' });
    expect(opportunityAccountSource('globex.com', bob)).toEqual({ kind: 'account', domain: 'globex.com' });
  });

  it("uses a mail provider's domain if it was sent", () => {
    expect(opportunityAccountSource('gmail.com', bob)).toEqual({ kind: 'account', domain: 'gmail.com' });
  });

  it("uses the primary contact's domain if none was sent", () => {
    expect(opportunityAccountSource(null, ann)).toEqual({ kind: 'account', domain: 'acme.com' });
  });

  it('keeps the deals of two people at the same mail provider apart', () => {
    expect(opportunityAccountSource(null, bob)).toEqual({ kind: 'contact', email: 'bob@gmail.com' });
  });

  it('returns nothing without a domain and a primary contact', () => {
    expect(opportunityAccountSource(null, null)).toEqual({ kind: 'none' });
  });
});
