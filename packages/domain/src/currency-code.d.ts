import { type Result } from './result.js';
/**
 * Reads a currency code: three capital letters, as in ISO 4217. Checks only the form, because currencies come and go.
 */
export declare const parseCurrencyCode: (input: unknown) => Result<string>;
