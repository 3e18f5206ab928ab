import { fail, ok } from './result.js';
/**
 * Reads a currency code: three capital letters, as in ISO 4217. Checks only the form, because currencies come and go.
 */
export const parseCurrencyCode = (input) => typeof input === 'string' && /^[A-Z]{3}$/.test(input)
    ? ok(input)
    : fail('must be an ISO 4217 code of three capital letters, as EUR');
//# sourceMappingURL=currency-code.js.map