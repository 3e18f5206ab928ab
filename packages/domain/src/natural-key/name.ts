import { fail, ok, type Result } from '../result.js';
import { codePointLength, findTextFault, isBlank, normalizeForSearch, trimText } from '../text.js';

/** The maximum length of a name or note title, in code points of its normalized form. */
export const maxNameLength = 255;

// NFC composes at most four code points into one. A far longer text is rejected before it is normalized, to save time.
const maxTypedLength = 4 * maxNameLength;

const invisible = /\p{Default_Ignorable_Code_Point}|(?!\p{White_Space})\p{Cc}/gu;

/**
 * The form in which the names and labels of a setup are compared everywhere: pipelines, stages, options and organizations. Case, invisible
 * characters and the amount of white space do not count: in a list, `Won` and `won\u200b` look alike.
 */
export const comparableName = (text: string): string =>
  normalizeForSearch(text.replace(invisible, ''))
    .replace(/\p{White_Space}+/gu, ' ')
    .trim();

/** The error text for a blank name or label. */
export const blankFault = 'must not be blank: send at least one visible character';

/**
 * Reads a required name, such as the name in an opportunity's natural key: NFC, trimmed, case kept, at most 255 code
 * points. Rejects a blank one. Normalizing twice gives the same result.
 */
export const normalizeName = (input: string): Result<string> => {
  const name = normalizeOptionalName(input);
  if (!name.ok) return name;
  return name.value === null ? fail(blankFault) : ok(name.value);
};

/** Like {@link normalizeName}, for an optional name: a blank one gives null. */
export const normalizeOptionalName = (input: string): Result<string | null> => {
  const typed = trimText(input);
  const typedLength = codePointLength(typed);
  if (typedLength > maxTypedLength) return fail(tooLong(typedLength));
  const fault = findTextFault(typed);
  if (fault !== null) return fail(fault);
  const name = trimText(typed.normalize('NFC'));
  if (isBlank(name)) return ok(null);
  const length = codePointLength(name);
  return length > maxNameLength ? fail(tooLong(length)) : ok(name);
};

const tooLong = (length: number): string => `must have at most ${maxNameLength} characters; this has ${length}`;
