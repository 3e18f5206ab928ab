import type { ErrorCollector } from '../errors.js';
/** The page size if the request has no limit. */
export declare const defaultLimit = 100;
/** The maximum number of records in a page. */
export declare const maxLimit = 500;
/** The maximum size of the records in a page, in bytes. A page has at least one record, of any length. */
export declare const maxPageBytes: number;
/**
 * Reads the `limit` of a query string.
 * @param input the text, or undefined when it was not given; anything else (given twice, an object) is refused
 * @returns the page size; the default if it is absent or invalid
 */
export declare const parseLimit: (input: unknown, errors: ErrorCollector) => number;
/**
 * Reads the `limit` of a JSON body: an integer, or null or undefined for the default. Text is refused.
 * @returns the page size; the default if it is absent or invalid
 */
export declare const parseBodyLimit: (input: unknown, errors: ErrorCollector) => number;
