import type { ErrorCollector } from '../errors.js';
import { codePointLength, findTextFault, isBlank, normalizeForSearch, trimText } from '../text.js';

/** The maximum length of a free-text query, in code points without surrounding white space. */
export const maxQueryLength = 200;

/**
 * Reads a free-text query into the words that a record must all contain. Split at white space only, so that `o'neil` and
 * `acme.com` stay one word; normalized, and without duplicates.
 * @param input the text; null, undefined and blank text mean no query
 * @param path the parameter's name, `q` or `query`; errors are on it
 * @returns the words in order; none if there is no query or an error
 */
export const parseSearchQuery = (
  input: string | null | undefined,
  path: 'q' | 'query',
  errors: ErrorCollector,
): readonly string[] => {
  if (input === undefined || input === null) return [];
  const text = trimText(input);
  if (isBlank(text)) return [];
  const fault = codePointLength(text) > maxQueryLength ? tooLong : findTextFault(text);
  if (fault === null) return [...new Set(wordsOf(text).map(normalizeForSearch))];
  errors.add(path, fault);
  return [];
};

/** A word is trimmed as names are, because an invisible character beside it is in no name. */
const wordsOf = (text: string): string[] =>
  text
    .split(/\p{White_Space}+/u)
    .map(trimText)
    .filter((word) => word !== '');

const tooLong = `must have at most ${maxQueryLength} characters`;
