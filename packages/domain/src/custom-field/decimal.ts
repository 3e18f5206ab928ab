import { fail, ok, type Result } from '../result.js';

/** How many digits a number may have, in its plain decimal text. */
export interface DecimalLimits {
  /** All digits, without leading zeros, including the trailing zeros of an integer. */
  readonly maxDigits: number;
  /** Digits after the point. */
  readonly maxDecimals: number;
}

/** The limits of amounts of money: `deal_size` and `currency` fields. */
export const amountLimits: DecimalLimits = { maxDigits: 15, maxDecimals: 4 };

/** The limits of plain numbers: `number` and `percentage` fields. */
export const numberLimits: DecimalLimits = { maxDigits: 15, maxDecimals: 15 };

/** Digits of the shortest decimal text that reads back as this number, as JavaScript prints it. */
const countDigits = (value: number): { readonly digits: number; readonly decimals: number } => {
  const match = /^(\d+)(?:\.(\d+))?(?:e([+-]\d+))?$/.exec(String(Math.abs(value)));
  const fraction = match?.[2] ?? '';
  const exponent = Number(match?.[3] ?? 0);
  const significant = `${match?.[1] ?? ''}${fraction}`.replace(/^0+/, '').length;
  return {
    digits: significant + Math.max(0, exponent - fraction.length),
    decimals: Math.max(0, fraction.length - exponent),
  };
};

/**
 * Reads a JSON number and rejects one that may have been rounded. A double preserves every decimal of up to 15 digits;
 * a longer number may already differ from the text that was sent. The trailing zeros of an integer count as digits,
 * because `100000000000000000001` arrives as `1e20`. Negative zero becomes 0, as JSON prints it.
 */
export const checkDecimal = (value: unknown, limits: DecimalLimits): Result<number> => {
  if (typeof value !== 'number' || !Number.isFinite(value)) return fail('must be a number');
  const { digits, decimals } = countDigits(value);
  if (digits > limits.maxDigits) return fail(`must have at most ${limits.maxDigits} digits`);
  if (decimals > limits.maxDecimals) return fail(`must have at most ${limits.maxDecimals} decimals`);
  return ok(value === 0 ? 0 : value);
};

/**
 * Reads a currency code: three capital letters, as in ISO 4217. Checks only the form, because currencies come and go.
 */
export const parseCurrencyCode = (input: unknown): Result<string> =>
  typeof input === 'string' && /^[A-Z]{3}$/.test(input)
    ? ok(input)
    : fail('must be an ISO 4217 code of three capital letters, as EUR');
