import currencyCodes from 'currency-codes';
import { fail, ok, type Result } from '../result.js';

/** Codes of ISO 4217, and those that Node knows: it also has currencies that ended not long ago, which old deals have. */
const known = new Set([...currencyCodes.codes(), ...Intl.supportedValuesOf('currency')]);

/** Codes for which ISO 4217 has no minor unit: metals, units of account, tests. */
const withoutMinorUnit = /^X(A[GU]|B[A-D]|DR|P[DT]|SU|TS|UA|XX)$/;

/** Reads a currency code: three capital letters of ISO 4217. */
export const parseCurrencyCode = (input: unknown): Result<string> => {
  if (typeof input !== 'string' || !/^[A-Z]{3}$/.test(input))
    return fail('must be an ISO 4217 code of three capital letters, as EUR');
  return known.has(input) ? ok(input) : fail(`"${input}" is not a currency of ISO 4217`);
};

/** How many decimals amounts of a currency have, as 2 for EUR and 0 for JPY; null if ISO 4217 does not say. */
export const currencyDecimals = (code: string): number | null =>
  withoutMinorUnit.test(code) ? null : (currencyCodes.code(code)?.digits ?? null);
