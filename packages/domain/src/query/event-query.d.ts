import type { ErrorCollector } from '../errors.js';
/** The longest time that a request waits for events, in seconds. */
export declare const maxWaitSeconds = 30;
/**
 * Reads a position in the change log from a query string.
 * @returns null if it is absent or invalid
 */
export declare const parsePosition: (name: string, input: string | undefined, errors: ErrorCollector) => number | null;
/**
 * Reads the `wait` of a query string.
 * @returns seconds; 0 if it is absent or invalid
 */
export declare const parseWait: (input: string | undefined, errors: ErrorCollector) => number;
