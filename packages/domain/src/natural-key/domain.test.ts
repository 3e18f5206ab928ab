import { describe, expect, it } from '@jest/globals';
import fc from 'fast-check';
import { toASCII } from 'tr46';
import { normalizeDomain } from './domain.js';

const label = fc.oneof(
  fc.stringMatching(/^[A-Za-z0-9]([A-Za-z0-9-]{0,8}[A-Za-z0-9])?$/),
  fc.constantFrom(
    'www',
    'WWW',
    'müller',
    'mu\u0308ller',
    'ｗｗｗ',
    'пример',
    '例え',
    'straße',
    'xn--mller-kva',
    '1',
    '0x1',
  ),
  fc.string({ unit: 'grapheme', maxLength: 6 }),
);
const hostLike = fc.array(label, { minLength: 1, maxLength: 5 }).map((labels) => labels.join('.'));
const typed = fc
  .tuple(
    fc.constantFrom('', ' ', 'https://', 'ftp://', '//', 'ann@'),
    hostLike,
    fc.constantFrom('', '.', ':80', '/a?b#c', ' '),
  )
  .map((parts) => parts.join(''));

const databaseForm = /^(?=.{1,253}$)[a-z0-9]([a-z0-9-]{0,61}[a-z0-9])?(\.[a-z0-9]([a-z0-9-]{0,61}[a-z0-9])?)+$/;

describe('normalizeDomain', () => {
  it('returns a domain that it leaves unchanged, except for a second leading www', () => {
    fc.assert(
      fc.property(typed, (input) => {
        const result = normalizeDomain(input);
        if (!result.ok || /^www\..*\./.test(result.value.domain)) return;
        expect(normalizeDomain(result.value.domain)).toEqual(result);
        expect(normalizeDomain(result.value.display)).toEqual(result);
      }),
      { numRuns: 2000 },
    );
  });

  it('accepts only lower-case ASCII labels, whatever the input', () => {
    fc.assert(
      fc.property(fc.oneof(typed, fc.string({ unit: 'binary' })), (input) => {
        const result = normalizeDomain(input);
        if (result.ok) expect(result.value.domain).toMatch(databaseForm);
      }),
      { numRuns: 2000 },
    );
  });

  it('ignores case, scheme, port, path and a trailing dot', () => {
    const plain = fc
      .array(fc.stringMatching(/^[a-z]{1,10}$/), { minLength: 2, maxLength: 4 })
      .map((all) => all.join('.'));
    fc.assert(
      fc.property(plain, (host) => {
        const expected = normalizeDomain(host);
        expect(expected.ok).toBe(true);
        expect(normalizeDomain(` HTTPS://ann:pw@${host.toUpperCase()}.:8443/x?y#z `)).toEqual(expected);
      }),
    );
  });

  it('gives the UTS-46 result for plain ASCII, which takes a shortcut', () => {
    const plain = fc.stringMatching(/^[A-Za-z0-9.-]{1,20}$/).map((text) => `${text}.com`);
    fc.assert(
      fc.property(plain, (host) => {
        const result = normalizeDomain(`x.${host}`);
        if (result.ok) expect(result.value.domain).toBe(toASCII(`x.${host}`, { useSTD3ASCIIRules: true }));
      }),
    );
  });

  it('returns the Unicode form for display', () => {
    expect(normalizeDomain('www.XN--MLLER-KVA.de')).toEqual({
      ok: true,
      value: { domain: 'xn--mller-kva.de', display: 'müller.de' },
    });
  });

  it('says in its errors what to do', () => {
    const messageOf = (input: string): string => {
      const result = normalizeDomain(input);
      return result.ok ? '' : result.message;
    };
    expect(messageOf('127.1')).toBe('must not be an IP address: send a domain such as acme.com');
    expect(messageOf('[::1]:80')).toBe('must not be an IP address: send a domain such as acme.com');
    expect(messageOf('localhost')).toBe('must have at least two parts, as in acme.com');
    expect(messageOf('https:// acme.com')).toBe('must not contain spaces: remove them');
    expect(messageOf(`${'a'.repeat(64)}.com`)).toContain('at most 63 characters');
  });

  it('returns fast, however long the text', () => {
    const startedAt = performance.now();
    for (const piece of ['a.', 'a-', 'ü', '@', ':', '//', '\u200c', 'xn--', ' '])
      normalizeDomain(piece.repeat(100_000));
    expect(performance.now() - startedAt).toBeLessThan(5_000);
  });
});
