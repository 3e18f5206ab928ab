import { describe, expect, it } from '@jest/globals';
import fc from 'fast-check';
import { anyCharacter, propertyRuns, testSize } from '../tests/random.js';
import { parseEmail, parseString } from './custom-field/values/text.js';
import { parseUrl, parseWebsite } from './custom-field/values/web-address.js';
import { ErrorCollector } from './errors.js';
import { normalizeDomain } from './natural-key/domain.js';
import { normalizeEmail } from './natural-key/email.js';
import { normalizeName, normalizeOptionalName } from './natural-key/name.js';
import { nearestName } from './nearest-name.js';
import { parseSearchQuery } from './query/search-query.js';
import {
  codePointLength,
  compareCodePoints,
  findTextFault,
  hasTooManyCombiningMarks,
  maxCombiningMarks,
  normalizeForSearch,
  sortKey,
} from './text.js';

const numRuns = propertyRuns({ short: 50, soak: 5_000 });
const text = fc.string({ unit: anyCharacter, maxLength: 500, size: 'max' });

/** Every so many code points. Soak tests check all of them, as for a new version of Unicode. */
const stride = testSize({ short: 197, soak: 1 });
const someCodePoints = function* (): Generator<string> {
  for (let code = 1; code <= 0x10ffff; code += stride) yield String.fromCodePoint(code);
};

/** Letters whose lower case depends on context or is longer, composing marks, and characters of two UTF-16 units. */
const hard = 'Σ σ ς İ I ı i é E ẞ ß ﬁ Ǆ J 한 ᾳ ΐ Ω 𐐀 😀 ’ . a'.split(' ');
const harder = [
  ...['\u0307', '\u0301', '\u0345', '\u030c', '\u1112', '\u1161', '\u11ab', '\u2126', '\u0958', '\u0344', '\u00ad'],
  ' ',
];
const hardText = fc.oneof(
  fc.string({ unit: fc.constantFrom(...hard, ...harder), maxLength: 12 }),
  fc.string({ unit: anyCharacter, maxLength: 12 }),
);

describe('normalizeForSearch', () => {
  it('gives equal text for different cases and Unicode forms, in any locale and wherever a sigma is', () => {
    expect(normalizeForSearch('CAFE\u0301')).toBe('café');
    expect(normalizeForSearch('ÄÖÜ ẞ')).toBe('äöü ß');
    expect(normalizeForSearch('TITLE I İSTANBUL I\u0307')).toBe('title i istanbul i');
    for (const word of ['ΟΔΥΣΣΕΥΣ', 'Οδυσσευς', 'οδυσσευσ']) expect(normalizeForSearch(word)).toBe('οδυσσευσ');
  });

  it('maps every code point by itself, whatever its neighbours', () => {
    // The characters that matter to the context rules of Unicode's lower-casing.
    const mayDepend = /^[\p{Cased}\p{Case_Ignorable}\p{M}]$/u;
    const pairs = [
      ['', 'a'],
      ['Σ', 'I'],
      [' ', '\u0307'],
      ['\u0307', ' '],
      ['I', 'Σ'],
      ['a', ''],
    ] as const;
    for (const own of [...harder, ...hard, ...someCodePoints()]) {
      if (!mayDepend.test(own)) continue;
      for (const [before, after] of pairs) {
        const all = `${before}${own}${after}`;
        // Some code points are not NFC by themselves, and some compose with their neighbours.
        if (all !== all.normalize('NFC')) continue;
        const parts = [before, own, after].map(normalizeForSearch).join('');
        if (normalizeForSearch(all) !== parts) throw new Error(`${JSON.stringify(all)} depends on its neighbours`);
      }
    }
  });

  it('lets every part of an NFC text be found, cut at any code point', () => {
    fc.assert(
      fc.property(hardText, fc.nat(), fc.nat(), (typed, from, length) => {
        const points = Array.from(typed.normalize('NFC'));
        const start = from % (points.length + 1);
        const part = points.slice(start, start + (length % (points.length + 1 - start))).join('');
        expect(normalizeForSearch(typed)).toContain(normalizeForSearch(part));
        expect(
          normalizeForSearch(points.slice(0, start).join('')) + normalizeForSearch(points.slice(start).join('')),
        ).toBe(normalizeForSearch(typed));
      }),
      { numRuns },
    );
  });
});

describe('texts', () => {
  it('sort by the first 200 code points of the normalized text, and no character is cut in half', () => {
    fc.assert(
      fc.property(text, (input) => {
        expect(sortKey(input)).toBe([...normalizeForSearch(input)].slice(0, 200).join(''));
      }),
      { numRuns },
    );
    expect(sortKey(`a${'😀'.repeat(300)}`)).toBe(`a${'😀'.repeat(199)}`);
  });

  it('are refused with U+0000, lone surrogates and more than 30 marks in a row', () => {
    expect(findTextFault('Zoë 😀 \ud83d\ude00 \uffff')).toBeNull();
    expect(findTextFault('a\u0000')).toContain('U+0000');
    expect(findTextFault('\udc00\ud800')).toContain('surrogate');
    expect(findTextFault(`a${marks(40)}`)).toBe('must not have more than 30 combining marks in a row: remove some');
    expect(findTextFault(`a${marks(30)}`)).toBeNull();
  });

  it('have a length in code points and sort like the bytes of UTF-8, as in PostgreSQL', () => {
    expect([codePointLength('a😀e\u0301'), codePointLength('\ud83d')]).toEqual([4, 1]);
    expect(['😀', '\ufffd', '\ud7ff', 'a', ''].sort(compareCodePoints)).toEqual(['', 'a', '\ud7ff', '\ufffd', '😀']);
    fc.assert(
      fc.property(text, text, text, (prefix, a, b) => {
        const [left, right] = [prefix + a, prefix + b];
        expect(codePointLength(left)).toBe([...left].length);
        expect(Math.sign(compareCodePoints(left, right))).toBe(Buffer.compare(Buffer.from(left), Buffer.from(right)));
      }),
      { numRuns },
    );
  });
});

/** Two combining classes in turn. NFC sorts them, and its time grows with the square of their number. */
const marks = (count: number): string => '\u0301\u0323'.repeat(count / 2);

const parseWords = (input: string): { readonly ok: boolean } => {
  const errors = new ErrorCollector();
  parseSearchQuery(input, 'q', errors);
  return { ok: errors.isEmpty };
};

describe('runs of combining marks', () => {
  it('have at most 30 marks of any script and plane', () => {
    for (const mark of ['\u0301', '\u20dd', '\u0e34', '\u{1d165}', '\ufe0f']) {
      expect(hasTooManyCombiningMarks(`a${mark.repeat(maxCombiningMarks)}b${mark.repeat(maxCombiningMarks)}`)).toBe(
        false,
      );
      expect(hasTooManyCombiningMarks(`a${mark.repeat(maxCombiningMarks + 1)}b`)).toBe(true);
    }
  });

  it('count every character that NFC may move, and all of them are marks', () => {
    // A character with a combining class moves before one of a higher class, or after one of a lower.
    const [lowest, highest] = ['\u0334', '\u0345'];
    const moved: string[] = [];
    for (const character of someCodePoints()) {
      if (/[\p{M}\p{Surrogate}]/u.test(character)) continue;
      const alone = character.normalize('NFD');
      if (`${highest}${character}`.normalize('NFD') !== `${highest}${alone}`) moved.push(character);
      // A decomposition may end with marks. They count in the run too.
      if (/\p{M}$/u.test(alone)) continue;
      if (`${character}${lowest}`.normalize('NFD') !== `${alone}${lowest}`) moved.push(character);
    }
    expect(moved).toEqual([]);
  });

  it.each<[string, (input: string) => { readonly ok: boolean }]>([
    ['a name', normalizeName],
    ['an optional name', normalizeOptionalName],
    ['an email', normalizeEmail],
    ['a domain', normalizeDomain],
    ['words', parseWords],
    ['a custom string', parseString],
    ['a custom email', parseEmail],
    ['a custom url', parseUrl],
    ['a custom website', parseWebsite],
  ])('R9: that are long are refused before NFC, which would take seconds: %s', (_what, parse) => {
    const startedAt = process.cpuUsage();
    for (const count of [maxCombiningMarks + 2, 200, 240_000]) {
      const run = `a${marks(count)}`;
      for (const input of [marks(count), run, `${run}@acme.com`, `ann@${run}.com`, `https://${run}.com`]) {
        expect(parse(input).ok).toBe(false);
      }
    }
    expect(process.cpuUsage(startedAt).user).toBeLessThan(500_000);
  });
});

describe('nearestName', () => {
  it.each([
    ['frist_name', 'first_name'],
    ['emial', 'email'],
    ['q', undefined],
    ['idx', undefined],
    ['x'.repeat(100_000), undefined],
  ])('for %.20s is %s', (name, expected) => {
    expect(nearestName(name, ['id', 'email', 'first_name', 'last_name'])).toBe(expected);
  });

  it('is at most two edits away, for any names', () => {
    const name = fc.stringMatching(/^[ab]{0,5}$/);
    const editDistance = (from: string, to: string): number => {
      if (from === '' || to === '') return from.length + to.length;
      const [a, b] = [from.slice(1), to.slice(1)];
      const replaced = editDistance(a, b) + (from[0] === to[0] ? 0 : 1);
      return Math.min(replaced, editDistance(a, to) + 1, editDistance(from, b) + 1);
    };
    fc.assert(
      fc.property(name, name, (from, to) => {
        const edits = editDistance(from, to);
        expect(nearestName(from, [to])).toBe(edits <= 2 && edits * 2 < to.length ? to : undefined);
      }),
      { numRuns: 40 * numRuns },
    );
  });

  it('is found fast among the most fields, also if all names are alike', () => {
    const slugs = Array.from({ length: 500 }, (_, index) => `${'x'.repeat(50)}${index}${'y'.repeat(10)}`);
    const startedAt = process.cpuUsage();
    for (let index = 0; index < 50; index += 1) nearestName(`${'x'.repeat(48)}z${index}${'y'.repeat(10)}`, slugs);
    expect(process.cpuUsage(startedAt).user).toBeLessThan(500_000);
  });

  it('is the closest one', () => {
    expect(nearestName('next_stepp', ['next_steps', 'next_step'])).toBe('next_steps');
    expect(nearestName('next_ste', ['next_steps', 'next_step'])).toBe('next_step');
  });
});
