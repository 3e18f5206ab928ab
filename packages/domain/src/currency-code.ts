import { fail, ok, type Result } from './result.js';

/** Reads the code of a currency: three capital letters, as ISO 4217 has them. Codes come and go, so that none is refused for itself. */
export const parseCurrencyCode = (input: unknown): Result<string> =>
  typeof input === 'string' && /^[A-Z]{3}$/.test(input)
    ? ok(input)
    : fail('Must be an ISO 4217 code of three capital letters, as EUR');
