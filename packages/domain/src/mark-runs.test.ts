import { afterEach, beforeEach, describe, expect, it, jest } from '@jest/globals';
import { ErrorCollector } from './errors.js';
import { parseEmail, parseString } from './custom-field/values/text.js';
import { parseUrl, parseWebsite } from './custom-field/values/web-address.js';
import { hasLongMarkRun, maxMarkRun } from './mark-runs.js';
import { normalizeDomain } from './natural-key/domain.js';
import { normalizeEmail } from './natural-key/email.js';
import { normalizeName, normalizeOptionalName } from './natural-key/name.js';
import { parseSearchQuery } from './query/search-query.js';
import type { Result } from './result.js';
import { findTextFault } from './text.js';

/** Two combining classes in turn. NFC sorts them, and its time grows with the square of their number. */
const marks = (count: number): string => '\u0301\u0323'.repeat(count / 2);

const searchQuery = (input: string): Result<unknown> => {
  const errors = new ErrorCollector();
  const words = parseSearchQuery(input, 'q', errors);
  return errors.isEmpty
    ? { ok: true, value: words }
    : { ok: false, message: Object.values(errors.fieldErrors)[0] ?? '' };
};

const parsers: readonly (readonly [string, (input: string) => Result<unknown>])[] = [
  ['a name', normalizeName],
  ['an optional name', normalizeOptionalName],
  ['an email', normalizeEmail],
  ['a domain', normalizeDomain],
  ['words', searchQuery],
  ['a custom string', parseString],
  ['a custom email', parseEmail],
  ['a custom url', parseUrl],
  ['a custom website', parseWebsite],
];

describe('hasLongMarkRun', () => {
  it('accepts 30 marks in a row and finds 31, of any script and plane', () => {
    for (const mark of ['\u0301', '\u20dd', '\u0e34', '\u{1d165}', '\ufe0f']) {
      expect(hasLongMarkRun(`a${mark.repeat(maxMarkRun)}b${mark.repeat(maxMarkRun)}`)).toBe(false);
      expect(hasLongMarkRun(`a${mark.repeat(maxMarkRun + 1)}b`)).toBe(true);
      expect(hasLongMarkRun(mark.repeat(maxMarkRun + 1))).toBe(true);
    }
  });

  it('counts every character that NFC may move, and all of them are marks', () => {
    // A character with a combining class moves before one of a higher class, or after one of a lower.
    const [lowest, highest] = ['\u0334', '\u0345'];
    const moved: string[] = [];
    for (let code = 1; code <= 0x10ffff; code += 1) {
      const character = String.fromCodePoint(code);
      if (/[\p{M}\p{Surrogate}]/u.test(character)) continue;
      const alone = character.normalize('NFD');
      if (`${highest}${character}`.normalize('NFD') !== `${highest}${alone}`) moved.push(character);
      // A decomposition may end with marks. They count in the run too.
      if (/\p{M}$/u.test(alone)) continue;
      if (`${character}${lowest}`.normalize('NFD') !== `${alone}${lowest}`) moved.push(character);
    }
    expect(moved).toEqual([]);
  });
});

describe('a text with a long run of marks', () => {
  const normalized: string[] = [];
  const { normalize } = String.prototype;

  beforeEach(() => {
    normalized.length = 0;
    jest.spyOn(String.prototype, 'normalize').mockImplementation(function (this: string, form?: string) {
      normalized.push(this);
      return normalize.call(this, form);
    });
  });
  afterEach(() => {
    jest.restoreAllMocks();
  });

  it.each(parsers)('is refused before it is normalized: %s', (_what, parse) => {
    for (const count of [maxMarkRun + 2, 200, 240_000]) {
      for (const text of [
        marks(count),
        `a${marks(count)}`,
        `a${marks(count)}@acme.com`,
        `https://a${marks(count)}.com`,
      ]) {
        expect(parse(text).ok).toBe(false);
      }
    }
    expect(normalized.filter(hasLongMarkRun)).toEqual([]);
  });

  it.each(parsers)('is not normalized if it is far too long: %s', (_what, parse) => {
    expect(parse('é'.repeat(100_000)).ok).toBe(false);
    for (const text of [`${'é'.repeat(100_000)}@acme.com`, `a@${'é'.repeat(100_000)}.com`]) parse(text);
    expect(normalized.filter(({ length }) => length > 2_048)).toEqual([]);
  });

  it('is accepted with the allowed number of marks', () => {
    expect(findTextFault(`a${marks(40)}`)).toBe('must not have more than 30 combining marks in a row: remove some');
    expect(findTextFault(`a${marks(30)}`)).toBeNull();
  });
});
