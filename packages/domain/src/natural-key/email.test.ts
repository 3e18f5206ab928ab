import { describe, expect, it } from '@jest/globals';
import fc from 'fast-check';
import { normalizeDomain } from './domain.js';
import { normalizeEmail } from './email.js';

const local = fc.oneof(
  fc.stringMatching(/^[A-Za-z0-9!#$%&'*+/=?^_`{|}~.-]{1,20}$/),
  fc.string({ unit: 'grapheme', maxLength: 6 }),
);
const host = fc.oneof(
  fc.domain(),
  fc.constantFrom(
    'MÜLLER.de',
    'mu\u0308ller.de.',
    'ａｃｍｅ．ｃｏｍ',
    'acme.com',
    'www.acme.com',
    'www.com',
    'WWW.müller.de',
    '127.0.0.1',
  ),
  fc.string({ unit: 'grapheme', maxLength: 10 }),
);
const typed = fc.oneof(
  fc.tuple(local, host).map((parts) => parts.join('@')),
  fc.emailAddress(),
  fc.string({ unit: 'binary' }),
);

describe('normalizeEmail', () => {
  it('returns an address that it leaves unchanged: lower-case ASCII, at most 254 characters', () => {
    fc.assert(
      fc.property(typed, (input) => {
        const result = normalizeEmail(input);
        if (!result.ok) return;
        const { email, domain } = result.value;
        expect(normalizeEmail(email)).toEqual(result);
        expect(email).toMatch(/^[!-?^-~]{1,64}@[a-z0-9.-]{3,253}$/);
        expect(email.length).toBeLessThanOrEqual(254);
        expect([domain, `www.${domain}`]).toContain(email.slice(email.lastIndexOf('@') + 1));
      }),
      { numRuns: 3000 },
    );
  });

  it('accepts every ordinary address', () => {
    fc.assert(
      fc.property(fc.emailAddress(), (input) => {
        expect(normalizeEmail(input).ok).toBe(true);
      }),
    );
  });

  it('returns the domain of the account for the host', () => {
    fc.assert(
      fc.property(host, (text) => {
        const result = normalizeEmail(`ann@${text}`);
        if (!result.ok) return;
        const domain = normalizeDomain(text);
        expect(domain.ok && domain.value.domain).toBe(result.value.domain);
      }),
    );
  });

  it.each([
    ['ann@www.x.com', 'x.com'],
    ['ann@WWW.X.com.', 'x.com'],
    ['ann@www.com', 'www.com'],
    ['ann@www.co.uk', 'co.uk'],
    ['ann@mail.www.x.com', 'mail.www.x.com'],
    ['ann@www2.x.com', 'www2.x.com'],
    ['ann@ｗｗｗ．müller.de', 'xn--mller-kva.de'],
  ])('gives %s the account domain %s', (input, domain) => {
    const result = normalizeEmail(input);
    expect(result.ok && result.value.domain).toBe(domain);
  });

  it('returns the domain of the account with the address', () => {
    expect(normalizeEmail(' Ann+CRM@Mail.MÜLLER.de. ')).toEqual({
      ok: true,
      value: { email: 'ann+crm@mail.xn--mller-kva.de', domain: 'mail.xn--mller-kva.de' },
    });
  });

  it('says in its error about a display name what to do', () => {
    const result = normalizeEmail('Ann Lee <ann@acme.com>');
    expect(result.ok ? '' : result.message).toBe(
      'must be a bare address without a display name or angle brackets, as in ann@acme.com',
    );
  });

  it('returns fast, however long the text', () => {
    const startedAt = performance.now();
    for (const piece of ['a.', 'a', '@', 'ü', '\u200c', ' a']) normalizeEmail(`ann@${piece.repeat(100_000)}`);
    normalizeEmail(`${'a.'.repeat(100_000)}@acme.com`);
    expect(performance.now() - startedAt).toBeLessThan(5_000);
  });
});
