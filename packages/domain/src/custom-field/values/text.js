import { normalizeEmail } from '../../natural-key/email.js';
import { fail, ok } from '../../result.js';
import { codePointLength, findTextFault } from '../../text.js';
import { maxStringLength } from './bounds.js';
// Country code and number have at most 15 digits by E.164, and at least 7 in every numbering plan.
const e164Pattern = /^\+[1-9]\d{6,14}$/;
const phoneSeparators = /[\s.\-()\u2010-\u2015]/g;
/** Reads a text without faults and within `maxLength` characters, exactly as sent. */
export const parseText = (input, maxLength) => {
    if (typeof input !== 'string')
        return fail('must be a string');
    if (codePointLength(input) > maxLength)
        return fail(`must have at most ${maxLength} characters`);
    const fault = findTextFault(input);
    return fault === null ? ok(input) : fail(fault);
};
/** Like {@link parseText}, but trims the text and rejects a blank one, for types without an empty value. */
export const parseTrimmedText = (input, maxLength, blankFault = 'must not be blank; null clears the field') => {
    const text = parseText(input, maxLength);
    if (!text.ok)
        return text;
    const trimmed = text.value.trim();
    return trimmed === '' ? fail(blankFault) : ok(trimmed);
};
/** Reads a `string`. It is stored exactly as sent, even if it is empty. */
export const parseString = (input) => parseText(input, maxStringLength);
/** Reads an `email`: one address, normalized as the addresses of contacts are. */
export const parseEmail = (input) => {
    if (typeof input !== 'string')
        return fail('must be a string');
    const email = normalizeEmail(input);
    return email.ok ? ok(email.value.email) : email;
};
/**
 * Reads a `phone`. A number that starts with `+` is international: it loses its separators and must then be E.164.
 * Any other text is a national number or an extension and is only trimmed.
 */
export const parsePhone = (input) => {
    const text = parseTrimmedText(input, maxStringLength);
    if (!text.ok || !text.value.startsWith('+'))
        return text;
    const compact = text.value.replace(phoneSeparators, '');
    return e164Pattern.test(compact)
        ? ok(compact)
        : fail('must be an international number as +14155550123 when it starts with +');
};
//# sourceMappingURL=text.js.map