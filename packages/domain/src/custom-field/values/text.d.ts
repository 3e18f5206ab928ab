import { type Result } from '../../result.js';
/** Reads a text without faults and within `maxLength` characters, exactly as sent. */
export declare const parseText: (input: unknown, maxLength: number) => Result<string>;
/** Like {@link parseText}, but trims the text and rejects a blank one, for types without an empty value. */
export declare const parseTrimmedText: (input: unknown, maxLength: number, blankFault?: string) => Result<string>;
/** Reads a `string`. It is stored exactly as sent, even if it is empty. */
export declare const parseString: (input: unknown) => Result<string>;
/** Reads an `email`: one address, normalized as the addresses of contacts are. */
export declare const parseEmail: (input: unknown) => Result<string>;
/**
 * Reads a `phone`. A number that starts with `+` is international: it loses its separators and must then be E.164.
 * Any other text is a national number or an extension and is only trimmed.
 */
export declare const parsePhone: (input: unknown) => Result<string>;
