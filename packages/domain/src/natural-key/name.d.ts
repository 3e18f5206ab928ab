import { type Result } from '../result.js';
/** The maximum length of a name or note title, in code points of its normalized form. */
export declare const maxNameLength = 255;
/** The error text for a blank name or label. */
export declare const blankFault = "must not be blank: send at least one visible character";
/**
 * Reads a required name, such as the name in an opportunity's natural key: NFC, trimmed, case kept, at most 255 code
 * points. Rejects a blank one. Normalizing twice gives the same result.
 */
export declare const normalizeName: (input: string) => Result<string>;
/** Like {@link normalizeName}, for an optional name: a blank one gives null. */
export declare const normalizeOptionalName: (input: string) => Result<string | null>;
