import type { ErrorCollector } from '../errors.js';
/** The maximum length of a free-text query, in code points without surrounding white space. */
export declare const maxQueryLength = 200;
/**
 * Reads a free-text query into the words that a record must all contain. Split at white space only, so that `o'neil` and
 * `acme.com` stay one word; normalized, and without duplicates.
 * @param input the text; null, undefined and blank text mean no query. Anything else is refused.
 * @param path the parameter's name, `q` or `query`; errors are on it
 * @returns the words in order; none if there is no query or an error
 */
export declare const parseSearchQuery: (input: unknown, path: 'q' | 'query', errors: ErrorCollector) => readonly string[];
