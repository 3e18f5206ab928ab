import { hasLongMarkRun, maxMarkRun } from './mark-runs.js';

/** How many code points of a normalized text count in sorting and in comparisons such as `gt`. */
export const sortKeyCodePoints = 200;

const loneSurrogate = /\p{Surrogate}/u;

/**
 * The form in which text is searched and compared: NFC, then lower case code point by code point, `ς` as `σ` and `İ` as `i`.
 * Computed here and stored next to the value, so that no locale, ICU version or replica can change an answer.
 *
 * Each code point is mapped by itself. If `a + b` is in NFC, then `f(a + b)` is `f(a) + f(b)`, so a search for any part
 * of an NFC text finds the text. In other texts a part is found unless the cut separates a letter from a mark that NFC
 * joins to it.
 *
 * Normalize a value once: lower-casing may leave a sequence that NFC would compose, so a second pass can change it.
 */
export const normalizeForSearch = (text: string): string =>
  // `toLowerCase()` turns `Σ` into `ς` at the end of a word only, and `İ` into two code points; the rest it maps one by one.
  text.normalize('NFC').replaceAll('İ', 'i').toLowerCase().replaceAll('ς', 'σ');

/** The first {@link sortKeyCodePoints} code points of the normalized `text`; never cuts a character outside the BMP in two. */
export const sortKey = (text: string): string => {
  const normalized = normalizeForSearch(text);
  // Shortcut for most texts: a text never has more code points than UTF-16 units.
  if (normalized.length <= sortKeyCodePoints) return normalized;
  return Array.from(normalized.slice(0, 2 * sortKeyCodePoints))
    .slice(0, sortKeyCodePoints)
    .join('');
};

const markRunFault = `must not have more than ${maxMarkRun} combining marks in a row: remove some`;

/**
 * The error text for a `text` that cannot be stored unaltered or is too costly to normalize, or null. PostgreSQL cannot
 * store U+0000, and a lone surrogate has no UTF-8 form. Check the length of a text before calling this, and call this
 * before normalizing the text.
 */
export const findTextFault = (text: string): string | null => {
  if (text.includes('\u0000')) return 'must not contain the character U+0000: remove it';
  if (loneSurrogate.test(text)) return 'must be well-formed Unicode: remove the unpaired surrogate (U+D800 to U+DFFF)';
  return hasLongMarkRun(text) ? markRunFault : null;
};

/** The number of code points of `text`, which is what PostgreSQL counts in `varchar(n)` and `char_length`. */
export const codePointLength = (text: string): number => {
  let count = 0;
  for (let index = 0; index < text.length; count += 1) index += isPairAt(text, index) ? 2 : 1;
  return count;
};

/**
 * Compares by code point: negative, 0 or positive as `a` comes before, equals or comes after `b`. It is the order of UTF-8
 * bytes, hence of PostgreSQL's collation `C`. The operator `<` compares UTF-16 units instead and puts emoji before U+FFFD.
 */
export const compareCodePoints = (a: string, b: string): number => {
  const shared = Math.min(a.length, b.length);
  for (let index = 0; index < shared; index += 1) {
    const left = a.charCodeAt(index);
    const right = b.charCodeAt(index);
    if (left !== right) return unitRank(left) - unitRank(right);
  }
  return a.length - b.length;
};

const isHighSurrogate = (unit: number): boolean => unit >= 0xd800 && unit <= 0xdbff;

const isLowSurrogate = (unit: number): boolean => unit >= 0xdc00 && unit <= 0xdfff;

const isPairAt = (text: string, index: number): boolean =>
  isHighSurrogate(text.charCodeAt(index)) && isLowSurrogate(text.charCodeAt(index + 1));

/** Moves surrogates above U+FFFF, because the characters they encode come after the whole BMP. */
const unitRank = (unit: number): number => (isHighSurrogate(unit) || isLowSurrogate(unit) ? unit + 0x10000 : unit);
