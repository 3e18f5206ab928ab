/** The error text for a number that would be rounded. */
export declare const tooManyDigits = "has more digits than a number can hold: send at most 15 significant digits";
/**
 * Whether the decimal value of a JSON number is exactly what JavaScript prints for it once it is parsed.
 * `1.50`, `1e3` and `0.1` are; `1.0000000000000001` (read as 1) and `9007199254740993` (read as …992) are not.
 *
 * @returns null, or an error text. Also null for text that is not a number: the JSON parser rejects it.
 */
export declare const findNumberFault: (literal: string) => string | null;
