import { fail, ok, type Result } from '../result.js';
import { currencyDecimals } from './currency.js';

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

/** A sum such as 0.1 + 0.2 has more digits than its caller meant, so the text shows the number rounded to the allowed digits. */
const tooManyText = (value: number, { maxDigits, maxDecimals }: DecimalLimits): string => {
  const rounded = Number(Number(value.toPrecision(maxDigits)).toFixed(maxDecimals));
  const { digits } = countDigits(rounded);
  const hint = digits <= maxDigits ? `: round it before you send it, for example to ${rounded}` : '';
  return `must have at most ${maxDigits} digits${hint}`;
};

/**
 * Reads a JSON number and rejects one that may have been rounded. A double preserves every decimal of up to 15 digits;
 * a longer number may already differ from the text that was sent. The trailing zeros of an integer count as digits,
 * because `100000000000000000001` arrives as `1e20`. Negative zero becomes 0, as JSON prints it.
 */
export const checkDecimal = (value: unknown, limits: DecimalLimits): Result<number> => {
  if (typeof value !== 'number' || !Number.isFinite(value)) return fail('must be a number');
  const { digits, decimals } = countDigits(value);
  if (digits > limits.maxDigits) return fail(tooManyText(value, limits));
  if (decimals > limits.maxDecimals) return fail(`must have at most ${limits.maxDecimals} decimals`);
  return ok(value === 0 ? 0 : value);
};

/**
 * A warning for an amount that has more decimals than its currency, as 10.5 JPY; null if there is none. The amount is stored as sent,
 * because it may be a unit price.
 */
export const decimalsWarning = (amount: number | null, currency: string | null): string | null => {
  const decimals = currency === null ? null : currencyDecimals(currency);
  if (amount === null || decimals === null || countDigits(amount).decimals <= decimals) return null;
  return `${amount} has more decimals than ${currency}, which has ${decimals}: it was stored as sent`;
};
