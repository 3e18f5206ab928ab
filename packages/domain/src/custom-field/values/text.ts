import { normalizeEmail } from '../../natural-key/email.js';
import { fail, ok, type Result } from '../../result.js';
import { codePointLength, findTextFault, isBlank, trimText } from '../../text.js';
import { maxStringLength } from './bounds.js';

/** Reads a text without faults and within `maxLength` characters, exactly as sent. */
export const parseText = (input: unknown, maxLength: number): Result<string> => {
  if (typeof input !== 'string') return fail('must be a string');
  if (codePointLength(input) > maxLength) return fail(`must have at most ${maxLength} characters`);
  const fault = findTextFault(input);
  return fault === null ? ok(input) : fail(fault);
};

/** Like {@link parseText}, but trims the text and rejects a blank one, for types without an empty value. */
export const parseTrimmedText = (
  input: unknown,
  maxLength: number,
  fault = 'must not be blank; null clears the field',
): Result<string> => {
  const text = parseText(input, maxLength);
  if (!text.ok) return text;
  return isBlank(text.value) ? fail(fault) : ok(trimText(text.value));
};

/** Reads a `string`. It is stored exactly as sent, even if it is empty. */
export const parseString = (input: unknown): Result<string> => parseText(input, maxStringLength);

/** Reads an `email`: one address, normalized as the addresses of contacts are. */
export const parseEmail = (input: unknown): Result<string> => {
  if (typeof input !== 'string') return fail('must be a string');
  const email = normalizeEmail(input);
  return email.ok ? ok(email.value.email) : email;
};
