/** How many code points of a normalized text count in sorting and in comparisons such as `gt`. */
export declare const sortKeyCodePoints = 200;
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
export declare const normalizeForSearch: (text: string) => string;
/** The first {@link sortKeyCodePoints} code points of the normalized `text`. Never cuts a surrogate pair. */
export declare const sortKey: (text: string) => string;
/**
 * The error text for a `text` that cannot be stored unaltered or is too costly to normalize, or null. PostgreSQL cannot
 * store U+0000, and a lone surrogate has no UTF-8 form. Check the length of a text before calling this, and call this
 * before normalizing the text.
 */
export declare const findTextFault: (text: string) => string | null;
/** The number of code points of `text`, which is what PostgreSQL counts in `varchar(n)` and `char_length`. */
export declare const codePointLength: (text: string) => number;
/**
 * Compares by code point: negative if `a` comes first, positive if `b` does, 0 if they are equal. This is the order of
 * UTF-8 bytes and of PostgreSQL's collation `C`. The operator `<` compares UTF-16 units and puts emoji before U+FFFD.
 */
export declare const compareCodePoints: (a: string, b: string) => number;
