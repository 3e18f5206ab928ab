import { fail, ok, type Result } from '../result.js';

/** Most characters of a slug. */
export const maxSlugLength = 63;

const slugPattern = /^[a-z][a-z0-9_]{0,62}$/;
// `__proto__` cannot match the pattern; it stands here so that loosening the pattern does not let it in.
const reservedSlugs: ReadonlySet<string> = new Set(['__proto__', 'constructor', 'prototype']);
const fallbackSlug = 'field';

/** Reads a slug: lower-case ASCII letters, digits and underscores from a letter on, and no name that JavaScript gives a meaning. */
export const parseSlug = (input: unknown): Result<string> => {
  if (typeof input !== 'string' || !slugPattern.test(input)) {
    return fail(`Must start with a letter a-z and have only a-z, 0-9 and _, at most ${maxSlugLength} characters`);
  }
  return reservedSlugs.has(input) ? fail(`"${input}" is reserved`) : ok(input);
};

/**
 * A valid slug for a display name: `Größe (cm)` gives `grosse_cm`. Null for a name without Latin letters or digits, from which no
 * slug can be made that says what the field is.
 */
export const slugFromName = (name: string): string | null => {
  const words = name
    .slice(0, maxSlugLength * 4)
    // Through upper case, because that writes ß and the ligatures out as letters.
    .toUpperCase()
    .toLowerCase()
    .normalize('NFKD')
    .replace(/\p{M}/gu, '')
    .replace(/[^a-z0-9]+/g, '_')
    .replace(/^_+|_+$/g, '');
  if (words === '') return null;
  const lettered = /^[a-z]/.test(words) ? words : `${fallbackSlug}_${words}`;
  const base = reservedSlugs.has(lettered) ? `${fallbackSlug}_${lettered}` : lettered;
  return base.slice(0, maxSlugLength).replace(/_+$/, '');
};
