import { parsePhoneNumberFromString } from 'libphonenumber-js/max';
import { ok, type Result } from '../../result.js';
import { maxStringLength } from './bounds.js';
import { parseTrimmedText } from './text.js';

// Only these may stand between the digits of one number. A slash, a comma or a word may start a second number or an
// extension, which the library would join to the first number or drop.
const oneNumber = /^\+[\d\s.\-()[\]\u2010-\u2015\u2212]+$/;
const bracketedPrefix = /[([]\s*0/;
// Some programs put direction marks around numbers.
const invisible = /\p{Default_Ignorable_Code_Point}/gu;
/** A longer text is no phone number. Most are far shorter. */
const maxNumberLength = 50;

const digitsOf = (text: string): string => text.replace(/\D/g, '');

/**
 * The E.164 form of an international number, or null if it cannot be read for certain. The library drops the prefix of
 * national calls, the `(0)` of `+49 (0)30 1234567`, and keeps it where it is part of the number, as in Italy. A number
 * with such a prefix must be a valid one; for others, the length must fit the country.
 */
const readE164 = (text: string): string | null => {
  if (text.length > maxNumberLength) return null;
  const shown = text.replace(invisible, '');
  if (!oneNumber.test(shown)) return null;
  const phone = parsePhoneNumberFromString(shown, { extract: false });
  if (phone === undefined || phone.ext !== undefined) return null;
  const isWhole = digitsOf(shown) === digitsOf(phone.number) && !bracketedPrefix.test(shown);
  return (isWhole ? phone.isPossible() : phone.isValid()) ? phone.number : null;
};

/**
 * Reads a `phone`. An international number, which starts with `+`, is stored as E.164. Any other text is only trimmed:
 * national numbers, extensions, two numbers, and what cannot be read for certain.
 */
export const parsePhone = (input: unknown): Result<string> => {
  const text = parseTrimmedText(input, maxStringLength);
  if (!text.ok) return text;
  const number = readE164(text.value);
  // A stored number must read as itself.
  return ok(number !== null && readE164(number) === number ? number : text.value);
};
