import { fail, ok } from '../result.js';
import { codePointLength, findTextFault } from '../text.js';
/** The maximum length of a name or note title, in code points of its normalized form. */
export const maxNameLength = 255;
// NFC composes at most four code points into one. A far longer text is rejected before it is normalized, to save time.
const maxTypedLength = 4 * maxNameLength;
// Zero-width and other invisible characters count as blank, because a person would see nothing.
const blank = /^[\p{White_Space}\p{Default_Ignorable_Code_Point}\p{Cc}]*$/u;
/** The error text for a blank name or label. */
export const blankFault = 'must not be blank: send at least one visible character';
/**
 * Reads a required name, such as the name in an opportunity's natural key: NFC, trimmed, case kept, at most 255 code
 * points. Rejects a blank one. Normalizing twice gives the same result.
 */
export const normalizeName = (input) => {
    const name = normalizeOptionalName(input);
    if (!name.ok)
        return name;
    return name.value === null ? fail(blankFault) : ok(name.value);
};
/** Like {@link normalizeName}, for an optional name: a blank one gives null. */
export const normalizeOptionalName = (input) => {
    const typed = input.trim();
    const typedLength = codePointLength(typed);
    if (typedLength > maxTypedLength)
        return fail(tooLong(typedLength));
    const fault = findTextFault(typed);
    if (fault !== null)
        return fail(fault);
    const name = typed.normalize('NFC').trim();
    if (blank.test(name))
        return ok(null);
    const length = codePointLength(name);
    return length > maxNameLength ? fail(tooLong(length)) : ok(name);
};
const tooLong = (length) => `must have at most ${maxNameLength} characters; this has ${length}`;
//# sourceMappingURL=name.js.map