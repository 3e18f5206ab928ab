/** How many code points of a normalized text count in sorting and in comparisons such as `gt`. */
export const sortKeyCodePoints = 200;

const loneSurrogate = /\p{Surrogate}/u;

/**
 * The form in which text is searched and compared: NFC, then lower case code point by code point, `ς` as `σ` and `İ` as
 * `i`. It is computed here and stored next to the value, so that no locale, ICU version or replica can change an
 * answer.
 *
 * Each code point is mapped by itself. If `a + b` is in NFC, then `f(a + b)` is `f(a) + f(b)`, so a search for any part
 * of an NFC text finds the text. In other texts, a part is found unless it begins or ends between a letter and a mark
 * that NFC joins.
 *
 * Normalize a value only once: lower-casing may leave a sequence that NFC would compose, so a second pass can change
 * it.
 */
export const normalizeForSearch = (text: string): string =>
  // `toLowerCase()` turns a final `Σ` into `ς`, and `İ` into two code points. It maps all others one by one.
  text.normalize('NFC').replaceAll('İ', 'i').toLowerCase().replaceAll('ς', 'σ');

/** The normalized form of a text that may be null. */
export const normalizeOrNull = (text: string | null): string | null =>
  text === null ? null : normalizeForSearch(text);

/** The first {@link sortKeyCodePoints} code points of `text`. Never cuts a surrogate pair. */
export const firstCodePoints = (text: string): string =>
  // Shortcut for most texts: a text never has more code points than UTF-16 units.
  text.length <= sortKeyCodePoints
    ? text
    : Array.from(text.slice(0, 2 * sortKeyCodePoints))
        .slice(0, sortKeyCodePoints)
        .join('');

/** The sort key of a text: the beginning of its normalized form. */
export const sortKey = (text: string): string => firstCodePoints(normalizeForSearch(text));

/**
 * The maximum number of combining marks in a row: the limit of Unicode's Stream-Safe Text Format (UAX #15). No writing
 * system needs that many. NFC takes quadratic time in the length of a run: 240 KB of marks take seconds.
 */
export const maxCombiningMarks = 30;

// The lookbehind lets a match start only at the start of a run, so that a long run is not tried again from every mark.
const tooManyCombiningMarks = new RegExp(`(?<!\\p{M})\\p{M}{${maxCombiningMarks + 1}}`, 'u');

/** Whether `text` has more than {@link maxCombiningMarks} combining marks in a row; in linear time. */
export const hasTooManyCombiningMarks = (text: string): boolean => tooManyCombiningMarks.test(text);

const combiningMarksFault = `must not have more than ${maxCombiningMarks} combining marks in a row: remove some`;

/**
 * The error text for a `text` that cannot be stored unaltered or is too costly to normalize, or null. PostgreSQL cannot
 * store U+0000, and a lone surrogate has no UTF-8 form. Check the length of a text before calling this, and call this
 * before normalizing the text.
 */
export const findTextFault = (text: string): string | null => {
  if (text.includes('\u0000')) return 'must not contain the character U+0000: remove it';
  if (loneSurrogate.test(text)) return 'must be well-formed Unicode: remove the unpaired surrogate (U+D800 to U+DFFF)';
  return hasTooManyCombiningMarks(text) ? combiningMarksFault : null;
};

// What a person does not see at the edge of a text: white space, control characters and characters that only format. Not trimmed are
// joiners, variation selectors and tags, which change how the character before them looks, and U+0000, which is refused instead.
const edge = String.raw`(?![\0\u200c\u200d\p{L}\p{M}\u{e0020}-\u{e007f}])[\p{White_Space}\p{Cc}\p{Default_Ignorable_Code_Point}]`;
// The lookbehind lets a match start only at the start of a run, so that a long run is not tried again from every character.
const edges = new RegExp(`^(?:${edge})+|(?<!${edge})(?:${edge})+$`, 'gu');

/**
 * The text without white space and invisible characters at its edges: the one definition of trimming, for all texts that are trimmed.
 *
 * `"\u00a0Acme \u200b"` → `"Acme"`
 */
export const trimText = (text: string): string => text.replace(edges, '');

// Invisible characters count as blank, because a person would see nothing.
const blank = /^[\p{White_Space}\p{Default_Ignorable_Code_Point}\p{Cc}]*$/u;

/** Whether `text` has no visible character: only white space, control characters and zero-width characters. */
export const isBlank = (text: string): boolean => blank.test(text);

/** The number of code points of `text`, which is what PostgreSQL counts in `varchar(n)` and `char_length`. */
export const codePointLength = (text: string): number =>
  text.length - (text.match(/[\ud800-\udbff][\udc00-\udfff]/g)?.length ?? 0);

/**
 * Compares by code point: negative if `a` comes first, positive if `b` does, 0 if they are equal. This is the order of
 * UTF-8 bytes and of PostgreSQL's collation `C`. The operator `<` compares UTF-16 units and puts emoji before U+FFFD.
 */
export const compareCodePoints = (a: string, b: string): number => Buffer.compare(Buffer.from(a), Buffer.from(b));
