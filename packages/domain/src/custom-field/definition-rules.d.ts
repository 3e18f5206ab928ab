import { type Result } from '../result.js';
/** The maximum length of a slug, in characters. */
export declare const maxSlugLength = 63;
/**
 * Reads a slug: a lower-case ASCII letter, then letters, digits and underscores. Rejects names with a meaning in
 * JavaScript.
 */
export declare const parseSlug: (input: unknown) => Result<string>;
/**
 * A valid slug for a display name: `Größe (cm)` gives `grosse_cm`. Null for a name without Latin letters or digits: no
 * meaningful slug can be made of it.
 */
export declare const slugFromName: (name: string) => string | null;
