import { fail, ok } from '../result.js';
/** The maximum length of a slug, in characters. */
export const maxSlugLength = 63;
const slugPattern = /^[a-z][a-z0-9_]{0,62}$/;
// The pattern already excludes `__proto__`; it is listed in case someone loosens the pattern.
const reservedSlugs = new Set(['__proto__', 'constructor', 'prototype']);
const fallbackSlug = 'field';
/**
 * Reads a slug: a lower-case ASCII letter, then letters, digits and underscores. Rejects names with a meaning in
 * JavaScript.
 */
export const parseSlug = (input) => {
    if (typeof input !== 'string' || !slugPattern.test(input)) {
        return fail(`must start with a letter a-z and have only a-z, 0-9 and _, at most ${maxSlugLength} characters`);
    }
    return reservedSlugs.has(input) ? fail(`"${input}" is reserved`) : ok(input);
};
/**
 * A valid slug for a display name: `Größe (cm)` gives `grosse_cm`. Null for a name without Latin letters or digits: no
 * meaningful slug can be made of it.
 */
export const slugFromName = (name) => {
    const words = name
        .slice(0, maxSlugLength * 4)
        // Upper-casing first turns ß and ligatures into plain letters.
        .toUpperCase()
        .toLowerCase()
        .normalize('NFKD')
        .replace(/\p{M}/gu, '')
        .replace(/[^a-z0-9]+/g, '_')
        .replace(/^_+|_+$/g, '');
    if (words === '')
        return null;
    const lettered = /^[a-z]/.test(words) ? words : `${fallbackSlug}_${words}`;
    const base = reservedSlugs.has(lettered) ? `${fallbackSlug}_${lettered}` : lettered;
    return base.slice(0, maxSlugLength).replace(/_+$/, '');
};
//# sourceMappingURL=definition-rules.js.map