import { type Result } from '../result.js';
/** How many digits a number may have, in its plain decimal text. */
export interface DecimalLimits {
    /** All digits, without leading zeros, including the trailing zeros of an integer. */
    readonly maxDigits: number;
    /** Digits after the point. */
    readonly maxDecimals: number;
}
/** The limits of amounts of money: `deal_size` and `currency` fields. */
export declare const amountLimits: DecimalLimits;
/** The limits of plain numbers: `number` and `percentage` fields. */
export declare const numberLimits: DecimalLimits;
/**
 * Reads a JSON number and rejects one that may have been rounded. A double preserves every decimal of up to 15 digits;
 * a longer number may already differ from the text that was sent. The trailing zeros of an integer count as digits,
 * because `100000000000000000001` arrives as `1e20`. Negative zero becomes 0, as JSON prints it.
 */
export declare const checkDecimal: (value: unknown, limits: DecimalLimits) => Result<number>;
