import { createHash } from 'node:crypto';
import { describe, expect, it } from '@jest/globals';
import fc from 'fast-check';
import { naturalKeyVectors, type NaturalKeyVector } from '../../tests/natural-key-vectors.js';
import { anyCharacter, propertyRuns, testSize } from '../../tests/random.js';
import { toASCII, toUnicode } from 'tr46';
import type { Result } from '../result.js';
import { codePointLength } from '../text.js';
import { accountNameFromDomain } from './account-name.js';
import { normalizeDomain } from './domain.js';
import { normalizeEmail } from './email.js';
import { freeMailDomains, isFreeMail } from './free-mail.js';
import { hostToAscii, hostToUnicode } from './host.js';
import { normalizeName, normalizeOptionalName } from './name.js';
import { areNearDomains } from './near-domain.js';

const numRuns = propertyRuns({ short: 50, soak: 5_000 });
/** Every so many letters, ten times as many of the alphabets. Soak tests check all of them. */
const stride = testSize({ short: 97, soak: 1 });
const messageOf = <T>(result: Result<T>): string => (result.ok ? '' : result.message);

const valueOf = <T>(result: Result<T>): T | null => {
  if (result.ok) return result.value;
  expect(result.message).toMatch(/^(?:must|has|is) .{15,}[^.]$/u);
  return null;
};

const keyOf = ({ kind, input }: Pick<NaturalKeyVector, 'kind' | 'input'>): string | null => {
  if (kind === 'domain') return valueOf(normalizeDomain(input))?.domain ?? null;
  if (kind === 'email') return valueOf(normalizeEmail(input))?.email ?? null;
  return valueOf(normalizeName(input));
};

describe('natural key vectors', () => {
  it.each(naturalKeyVectors)('$kind: $about', (vector) => {
    const { kind, expected } = vector;
    expect(keyOf(vector)).toBe(expected);
    if (expected !== null) expect(keyOf({ kind, input: expected })).toBe(expected);
  });

  it('free mail', () => {
    const providers = [
      'gmail.com',
      'googlemail.com',
      'outlook.com',
      'hotmail.com',
      'yahoo.co.uk',
      'icloud.com',
      'gmx.de',
      'proton.me',
      'qq.com',
    ];
    const others = ['acme.com', 'example.com', 'facebook.com', 'mail.gmail.com', 'gmail.com.acme.com', 'notgmail.com'];
    expect(providers.filter((domain) => !isFreeMail(domain))).toEqual([]);
    expect(others.filter(isFreeMail)).toEqual([]);
  });

  it.each([
    ['acme.com', 'Acme'],
    ['mail.acme.com', 'Acme'],
    ['acme.co.uk', 'Acme'],
    ['shop.eu.acme.com.au', 'Acme'],
    ['acme-tools.de', 'Acme-tools'],
    ['37signals.com', '37signals'],
    ['xn--mller-kva.de', 'Müller'],
    ['xn--bcher-kva.example', 'Bücher'],
    ['xn--e1afmkfd.xn--p1ai', 'Пример'],
    ['xn--r8jz45g.xn--zckzah', '例え'],
    ['acme.github.io', 'Acme'],
    ['github.io', 'Github'],
    ['co.uk', 'Co'],
    ['crm.acme.internal', 'Acme'],
    // One letter, even where Unicode would make two of it.
    ['xn--alon-una.de', 'Ssalon'],
  ])('the account of %s is named %s', (domain, name) => {
    expect(accountNameFromDomain(domain)).toBe(name);
  });
});

const label = fc.oneof(
  fc.stringMatching(/^[A-Za-z0-9]([A-Za-z0-9-]{0,8}[A-Za-z0-9])?$/),
  fc.constantFrom('www', 'WWW', 'mu\u0308ller', 'ｗｗｗ', 'пример', '例え', 'straße', 'xn--mller-kva', '1', '0x1'),
  fc.string({ unit: 'grapheme', maxLength: 6 }),
);
const hostLike = fc.array(label, { minLength: 1, maxLength: 5 }).map((labels) => labels.join('.'));
const typedDomain = fc
  .tuple(fc.constantFrom('', ' ', 'https://', '//', 'ann@'), hostLike, fc.constantFrom('', '.', ':80', '/a?b#c', ' '))
  .map((parts) => parts.join(''));
const databaseForm = /^(?=.{1,253}$)[a-z0-9]([a-z0-9-]{0,61}[a-z0-9])?(\.[a-z0-9]([a-z0-9-]{0,61}[a-z0-9])?)+$/;

describe('normalizeDomain', () => {
  it('returns a domain of ASCII labels that it leaves unchanged and names the account, whatever the input', () => {
    fc.assert(
      fc.property(fc.oneof(typedDomain, fc.string({ unit: anyCharacter })), (input) => {
        const result = normalizeDomain(input);
        if (!result.ok) return;
        const { domain, display } = result.value;
        expect(domain).toMatch(databaseForm);
        const name = accountNameFromDomain(domain);
        expect(normalizeName(name)).toEqual({ ok: true, value: name });
        expect([normalizeDomain(domain), normalizeDomain(display)]).toEqual([result, result]);
      }),
      { numRuns },
    );
  });

  it('gives the UTS-46 result for plain ASCII, which takes a shortcut', () => {
    const plain = fc.stringMatching(/^[A-Za-z0-9.-]{1,20}$/).map((text) => `${text}.com`);
    fc.assert(
      fc.property(plain, (host) => {
        const result = normalizeDomain(`x.${host}`);
        if (result.ok) expect(result.value.domain).toBe(toASCII(`x.${host}`, { useSTD3ASCIIRules: true }));
      }),
      { numRuns },
    );
  });

  it('gives the UTS-46 result of tr46 for every host, however it is converted', () => {
    const options = { checkBidi: true, checkJoiners: true, useSTD3ASCIIRules: true };
    const scripts = fc.constantFrom(
      ...[
        'äÖßÿĳŉſǅəɏ',
        'αςΣΩϐώ',
        'жЁӀԯ',
        'ぁんァヶー',
        '一丁㐀龥',
        '가힣ᄀ',
        'אב״',
        'عنن\u0660\u06f0',
        'नी\u094d',
        'ไทย์',
      ],
      ...['\u0301\u0323', '\u200c\u200d', '\u00ad\ufe0f', 'ａＺ０．', '😀𝕬ﷺ', 'aZ09-', '.', 'xn--', 'ẞ≠\u0338'],
    );
    const letter = scripts.chain((text) => fc.constantFrom(...text));
    const hosts = fc.array(fc.oneof({ weight: 9, arbitrary: letter }, { weight: 1, arbitrary: anyCharacter }), {
      maxLength: 12,
    });
    fc.assert(
      fc.property(hosts, fc.constantFrom('', '.de', '.أ', '.xn--tda'), (letters, rest) => {
        const host = letters.join('') + rest;
        const result = hostToAscii(host);
        if (!result.ok) return;
        const expected = toASCII(host.normalize('NFC'), options)?.replace(/\.$/, '');
        expect([host, result.value]).toEqual([host, expected]);
        expect(hostToUnicode(result.value)).toBe(toUnicode(result.value, options).domain);
      }),
      { numRuns: 20 * numRuns },
    );
  });

  it('gives the UTS-46 result of tr46 for each letter that Node converts', () => {
    const options = { checkBidi: true, checkJoiners: true, useSTD3ASCIIRules: true };
    for (let code = 0x80; code < 0xd7a4; code += code < 0x3100 ? Math.ceil(stride / 10) : stride) {
      const letter = String.fromCharCode(code);
      for (const host of [`${letter}.de`, `a${letter}${letter}b.de`]) {
        const result = hostToAscii(host);
        const expected = toASCII(host.normalize('NFC'), options);
        if (result.ok || expected === null) expect([host, valueOf(result)]).toEqual([host, expected]);
      }
    }
  });

  it('returns the Unicode form for display', () => {
    expect(normalizeDomain('www.XN--MLLER-KVA.de')).toEqual({
      ok: true,
      value: { domain: 'xn--mller-kva.de', display: 'müller.de' },
    });
  });

  it.each([
    ['127.1', 'must not be an IP address: send a domain such as acme.com'],
    ['localhost', 'must have at least two parts, as in acme.com'],
    ['https:// acme.com', 'must not contain spaces: remove them'],
    [`${'a'.repeat(64)}.com`, 'at most 63 characters'],
  ])('says in its error about %.20s what to do', (input, message) => {
    expect(messageOf(normalizeDomain(input))).toContain(message);
  });
});

const typedEmail = fc.oneof(
  fc
    .tuple(
      fc.oneof(
        fc.stringMatching(/^[A-Za-z0-9!#$%&'*+/=?^_`{|}~.-]{1,20}$/),
        fc.string({ unit: 'grapheme', maxLength: 6 }),
      ),
      fc.oneof(
        fc.domain(),
        fc.constantFrom('mu\u0308ller.de.', 'ａｃｍｅ．ｃｏｍ', 'www.acme.com', 'www.com', '127.0.0.1'),
      ),
    )
    .map((parts) => parts.join('@')),
  fc.emailAddress(),
  fc.string({ unit: anyCharacter }),
);

describe('normalizeEmail', () => {
  it('returns an ASCII address that it leaves unchanged, and the domain of the account', () => {
    fc.assert(
      fc.property(typedEmail, (input) => {
        const result = normalizeEmail(input);
        if (!result.ok) return;
        const { email, domain } = result.value;
        expect(normalizeEmail(email)).toEqual(result);
        expect(email).toMatch(/^[!-?^-~]{1,64}@[a-z0-9.-]{3,253}$/);
        expect(email.length).toBeLessThanOrEqual(254);
        expect(valueOf(normalizeDomain(email.slice(email.lastIndexOf('@') + 1)))?.domain).toBe(domain);
      }),
      { numRuns },
    );
  });

  it.each([
    ['ann@WWW.X.com.', 'x.com'],
    ['ann@www.com', 'www.com'],
    ['ann@mail.www.x.com', 'mail.www.x.com'],
    ['ann@ｗｗｗ．müller.de', 'xn--mller-kva.de'],
  ])('gives %s the account domain %s', (input, domain) => {
    expect(valueOf(normalizeEmail(input))?.domain).toBe(domain);
  });

  it('says in its error about a display name what to do', () => {
    expect(messageOf(normalizeEmail('Ann Lee <ann@acme.com>'))).toBe(
      'must be a bare address without a display name or angle brackets, as in ann@acme.com',
    );
  });
});

it('a key is found fast, however long the text', () => {
  const startedAt = process.cpuUsage();
  for (const piece of ['a.', 'a-', 'ü', '@', ':', '//', '\u200c', 'xn--', ' ']) {
    normalizeDomain(piece.repeat(100_000));
    normalizeEmail(`ann@${piece.repeat(100_000)}`);
  }
  normalizeEmail(`${'a.'.repeat(100_000)}@acme.com`);
  expect(process.cpuUsage(startedAt).user).toBeLessThan(2_000_000);
});

describe('normalizeName', () => {
  it('returns a name that it leaves unchanged: NFC, trimmed, at most 255 code points', () => {
    fc.assert(
      fc.property(fc.string({ unit: anyCharacter, maxLength: 300, size: 'max' }), (input) => {
        const result = normalizeName(input);
        if (!result.ok) return;
        expect(normalizeName(result.value)).toEqual(result);
        expect(result.value).toBe(result.value.normalize('NFC').trim());
        expect(codePointLength(result.value)).toBeLessThanOrEqual(255);
      }),
      { numRuns },
    );
    expect(messageOf(normalizeName('😀'.repeat(300)))).toBe('must have at most 255 characters; this has 300');
  });

  it('may be null for an optional name, which is otherwise refused alike', () => {
    expect(normalizeOptionalName(' \u200b ')).toEqual({ ok: true, value: null });
    expect([normalizeOptionalName('n'.repeat(256)).ok, normalizeOptionalName('\ud800').ok]).toEqual([false, false]);
  });
});

it('the list of free mail providers is normalized, and the one by which stored opportunities were keyed', () => {
  for (const domain of freeMailDomains) {
    expect(normalizeDomain(domain)).toEqual({ ok: true, value: { domain, display: domain } });
  }
  // A new list changes the keys of opportunities without an account. Adopt one only with a migration of these keys.
  const sorted = [...freeMailDomains].sort().join('\n');
  expect(createHash('sha256').update(sorted).digest('hex')).toBe(
    '698fa32149e334650eae9f18ea8d14fd86ef2c40d3374d1ce70484a8a925685b',
  );
});

it.each([
  ['acme.com', 'acme.de', true],
  ['acme.com', 'acme.co.uk', true],
  ['eu.acme.com', 'acme.com', true],
  ['globex.com', 'globx.com', true],
  ['xn--mller-kva.de', 'muller.de', true],
  ['acme.com', 'globex.com', false],
  ['ab.com', 'cd.com', false],
  ['notacme.com', 'acme.com', false],
])('whether the domains %s and %s are similar: %p', (one, other, areSimilar) => {
  expect([areNearDomains(one, other), areNearDomains(other, one)]).toEqual([areSimilar, areSimilar]);
});
