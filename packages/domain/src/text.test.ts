import { describe, expect, it } from '@jest/globals';
import fc from 'fast-check';
import { codePointLength, compareCodePoints, findTextFault, fold, sortKey } from './text.js';

const text = fc.string({ unit: 'binary', maxLength: 500, size: 'max' });

describe('fold', () => {
  it('makes case and normalisation forms equal', () => {
    expect(fold('CAFE\u0301')).toBe('café');
    expect(fold('ÄÖÜ ẞ')).toBe('äöü ß');
  });

  it('does not follow any locale', () => {
    expect(fold('TITLE I')).toBe('title i');
    expect(fold('İ')).toBe('i\u0307');
  });
});

describe('sortKey', () => {
  it('is the first 200 code points of the fold', () => {
    fc.assert(
      fc.property(text, (input) => {
        expect(sortKey(input)).toBe([...fold(input)].slice(0, 200).join(''));
      }),
    );
  });

  it('never cuts a character in two', () => {
    expect(sortKey(`a${'😀'.repeat(300)}`)).toBe(`a${'😀'.repeat(199)}`);
    expect(sortKey('Ａ'.repeat(201))).toBe('ａ'.repeat(200));
  });
});

describe('findTextFault', () => {
  it('lets every well-formed text pass', () => {
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
  it('orders as the bytes of UTF-8 do', () => {
    fc.assert(
      fc.property(text, text, text, (prefix, a, b) => {
        const [left, right] = [prefix + a, prefix + b];
        expect(Math.sign(compareCodePoints(left, right))).toBe(Buffer.compare(Buffer.from(left), Buffer.from(right)));
      }),
    );
  });

  it('puts characters outside the BMP last, where UTF-16 order would not', () => {
    expect(['😀', '\ufffd', '\ud7ff', 'a', ''].sort(compareCodePoints)).toEqual(['', 'a', '\ud7ff', '\ufffd', '😀']);
  });
});
