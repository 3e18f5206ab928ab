const zero = 0x30;
/** Reads the text of a number, as JSON writes it or as JavaScript prints it. Linear in its length. */
const decimalOf = (text) => {
    const exponentAt = text.search(/[eE]/);
    const mantissa = (exponentAt === -1 ? text : text.slice(0, exponentAt)).replace('-', '');
    const pointAt = mantissa.indexOf('.');
    const all = mantissa.replace('.', '');
    let start = 0;
    while (all.charCodeAt(start) === zero)
        start += 1;
    let end = all.length;
    while (end > start && all.charCodeAt(end - 1) === zero)
        end -= 1;
    const written = exponentAt === -1 ? 0 : Number(text.slice(exponentAt + 1));
    const integerLength = pointAt === -1 ? all.length : pointAt;
    return { digits: all.slice(start, end), exponent: written + integerLength - end };
};
/** The error text for a number that would be rounded. */
export const tooManyDigits = 'has more digits than a number can hold: send at most 15 significant digits';
/**
 * Whether the decimal value of a JSON number is exactly what JavaScript prints for it once it is parsed.
 * `1.50`, `1e3` and `0.1` are; `1.0000000000000001` (read as 1) and `9007199254740993` (read as …992) are not.
 *
 * @returns null, or an error text. Also null for text that is not a number: the JSON parser rejects it.
 */
export const findNumberFault = (literal) => {
    const value = Number(literal);
    const printed = String(value);
    if (printed === literal || Number.isNaN(value))
        return null;
    if (!Number.isFinite(value))
        return 'is too large a number';
    const sent = decimalOf(literal);
    if (value === 0)
        return sent.digits === '' ? null : 'is too small a number';
    const read = decimalOf(printed);
    return sent.digits === read.digits && sent.exponent === read.exponent ? null : tooManyDigits;
};
//# sourceMappingURL=exact-number.js.map