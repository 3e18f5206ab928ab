import { describe, expect, it } from '@jest/globals';
import fc from 'fast-check';
import { codePointLength, compareCodePoints, findTextFault, normalizeForSearch, sortKey } from './text.js';

const text = fc.string({ unit: 'binary', maxLength: 500, size: 'max' });

/** Letters whose lower case depends on context or is longer, composing marks, and characters of two UTF-16 units. */
const hard = [
  'Σ',
  'σ',
  'ς',
  'İ',
  'I',
  'ı',
  'i',
  '\u0307',
  '\u0301',
  '\u0345',
  'é',
  'E',
  'ẞ',
  'ß',
  'ﬁ',
  'Ǆ',
  'J',
  '\u030c',
];
const harder = [
  '\u1112',
  '\u1161',
  '\u11ab',
  '한',
  'ᾳ',
  'ΐ',
  'Ω',
  '\u2126',
  '\u0958',
  '\u0344',
  '𐐀',
  '😀',
  '’',
  '.',
  '\u00ad',
  ' ',
  'a',
];
const hardText = fc.oneof(
  fc.string({ unit: fc.constantFrom(...hard, ...harder), maxLength: 12 }),
  fc.string({ unit: 'binary', maxLength: 12 }),
);

const pairs = ([a = '', b = '', c = '', d = '', e = '', f = '']: readonly string[]): [string, string][] => [
  [a, b],
  [c, d],
  [e, f],
];

describe('normalizeForSearch', () => {
  it('gives equal text for different cases and Unicode normalization forms', () => {
    expect(normalizeForSearch('CAFE\u0301')).toBe('café');
    expect(normalizeForSearch('ÄÖÜ ẞ')).toBe('äöü ß');
  });

  it('does not depend on a locale', () => {
    expect(normalizeForSearch('TITLE I')).toBe('title i');
    expect(normalizeForSearch('İSTANBUL')).toBe('istanbul');
    expect(normalizeForSearch('I\u0307')).toBe('i');
  });

  it('writes every sigma the same, wherever it is in a word', () => {
    for (const word of ['ΟΔΥΣΣΕΥΣ', 'Οδυσσεύς'.replace('ύ', 'υ'), 'οδυσσευσ'])
      expect(normalizeForSearch(word)).toBe('οδυσσευσ');
  });

  /** The characters that matter to the context rules of Unicode's lower-casing. */
  const mayDepend = /^[\p{Cased}\p{Case_Ignorable}\p{M}]$/u;

  it('maps every code point by itself, whatever its neighbours', () => {
    const neighbours = ['', 'a', 'Σ', 'I', ' ', '\u0307'];
    for (let code = 0; code <= 0x10ffff; code += 1) {
      const own = String.fromCodePoint(code);
      if (!mayDepend.test(own)) continue;
      // Some code points are not NFC by themselves, and some compose with their neighbours.
      for (const [before, after] of [neighbours, [...neighbours].reverse()].flatMap(pairs)) {
        const text = `${before}${own}${after}`;
        if (
          text === text.normalize('NFC') &&
          normalizeForSearch(text) !== normalizeForSearch(before) + normalizeForSearch(own) + normalizeForSearch(after)
        )
          throw new Error(`${JSON.stringify(text)} depends on its neighbours`);
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
      { numRuns: 5_000 },
    );
  });

  it('lets every part of any other text be found if its marks stay with their letters', () => {
    fc.assert(
      fc.property(hardText, hardText, hardText, (before, part, after) => {
        const whole = before + part + after;
        fc.pre(whole.normalize('NFC') === before.normalize('NFC') + part.normalize('NFC') + after.normalize('NFC'));
        expect(normalizeForSearch(whole)).toContain(normalizeForSearch(part));
      }),
      { numRuns: 5_000 },
    );
  });
});

describe('sortKey', () => {
  it('is the first 200 code points of the normalized text', () => {
    fc.assert(
      fc.property(text, (input) => {
        expect(sortKey(input)).toBe([...normalizeForSearch(input)].slice(0, 200).join(''));
      }),
    );
  });

  it('never cuts a character in half', () => {
    expect(sortKey(`a${'😀'.repeat(300)}`)).toBe(`a${'😀'.repeat(199)}`);
    expect(sortKey('Ａ'.repeat(201))).toBe('ａ'.repeat(200));
  });
});

describe('findTextFault', () => {
  it('accepts every well-formed text', () => {
    expect(findTextFault('Zoë 😀 \ud83d\ude00 \uffff')).toBeNull();
    fc.assert(fc.property(text, (input) => findTextFault(input.replaceAll('\0', '')) === null));
  });

  it('names U+0000 and lone surrogates', () => {
    expect(findTextFault('a\u0000')).toContain('U+0000');
    expect(findTextFault('a\ud800')).toContain('surrogate');
    expect(findTextFault('\udc00\ud800')).toContain('surrogate');
  });
});

describe('codePointLength', () => {
  it('counts code points, as PostgreSQL does', () => {
    expect(codePointLength('a😀e\u0301')).toBe(4);
    expect(codePointLength('\ud83d')).toBe(1);
    fc.assert(fc.property(text, (input) => codePointLength(input) === [...input].length));
  });
});

describe('compareCodePoints', () => {
  it('sorts like the bytes of UTF-8', () => {
    fc.assert(
      fc.property(text, text, text, (prefix, a, b) => {
        const [left, right] = [prefix + a, prefix + b];
        expect(Math.sign(compareCodePoints(left, right))).toBe(Buffer.compare(Buffer.from(left), Buffer.from(right)));
      }),
    );
  });

  it('sorts characters outside the BMP last, unlike UTF-16', () => {
    expect(['😀', '\ufffd', '\ud7ff', 'a', ''].sort(compareCodePoints)).toEqual(['', 'a', '\ud7ff', '\ufffd', '😀']);
  });
});
