import { describe, expect, it } from '@jest/globals';
import { opportunityAccountSource } from './opportunity-key.js';

const ann = { email: 'ann@acme.com', domain: 'acme.com' };
const bob = { email: 'bob@gmail.com', domain: 'gmail.com' };

describe('opportunityAccountSource', () => {
  it('takes the domain that was sent, for every primary contact', () => {
    expect(opportunityAccountSource('globex.com', ann)).toEqual({ kind: 'account', domain: 'globex.com' });
    expect(opportunityAccountSource('globex.com', bob)).toEqual({ kind: 'account', domain: 'globex.com' });
  });

  it("takes a mail provider's domain where it was sent on purpose", () => {
    expect(opportunityAccountSource('gmail.com', bob)).toEqual({ kind: 'account', domain: 'gmail.com' });
  });

  it("takes the primary contact's domain if none was sent", () => {
    expect(opportunityAccountSource(null, ann)).toEqual({ kind: 'account', domain: 'acme.com' });
  });

  it('keeps the deals of two people at one mail provider apart', () => {
    expect(opportunityAccountSource(null, bob)).toEqual({ kind: 'contact', email: 'bob@gmail.com' });
  });

  it('has nothing without a domain and a primary contact', () => {
    expect(opportunityAccountSource(null, null)).toEqual({ kind: 'none' });
  });
});
