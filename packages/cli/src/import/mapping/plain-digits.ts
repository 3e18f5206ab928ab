/** Signs that have one ASCII meaning in a number or date: the minus U+2212, full-width signs, spaces, apostrophes. */
const plainSigns: readonly (readonly [RegExp, string])[] = [
  [/[\u2212\uFE63\uFF0D]/g, '-'],
  [/\uFF0B/g, '+'],
  [/\uFF0E/g, '.'],
  [/\uFF0C/g, ','],
  [/\uFF1A/g, ':'],
  [/\uFF0F/g, '/'],
  [/\uFF05/g, '%'],
  [/[’‘\u02BC\uFF07]/g, "'"],
  [/\p{Zs}/gu, ' '],
];

/** In the Basic Multilingual Plane, the ten digits of a script are in a row, and no two such rows touch. */
const asciiDigit = (digit: string): string => {
  let zero = digit.charCodeAt(0);
  while (/\p{Nd}/u.test(String.fromCharCode(zero - 1))) zero -= 1;
  return String(digit.charCodeAt(0) - zero);
};

/**
 * Writes the digits of all scripts, minus signs, spaces and full-width signs as ASCII. Superscripts, fractions and other
 * dashes stay, because they are no part of a plain number.
 *
 * `−１\u202f２٣` → `-1 23`
 */
export const plainDigits = (text: string): string =>
  plainSigns
    .reduce((plain, [signs, sign]) => plain.replace(signs, sign), text)
    .replace(/(?![0-9])\p{Nd}/gu, (digit) => (digit.length === 1 ? asciiDigit(digit) : digit))
    .trim();
