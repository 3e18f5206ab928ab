import { type Result } from '../result.js';
/** An email address in the form in which it is stored and compared: a contact's natural key. */
export interface NormalizedEmail {
    /** Lower-case ASCII, at most 254 octets: `ann+crm@xn--mller-kva.de`. */
    readonly email: string;
    /** The domain of the contact's account: the part after the `@`, without a leading `www.`. */
    readonly domain: string;
}
/** The maximum length of an email address in its normalized form, in octets: RFC 5321's 256 minus angle brackets. */
export declare const maxEmailLength = 254;
/**
 * The natural key of a contact, from one bare address. Trims white space, lower-cases the whole address, and converts
 * its domain to UTS-46 ASCII without a trailing dot. Plus-tags and dots stay, because they may distinguish people.
 * Rejects display names, spaces, control characters, quoted or non-ASCII local parts, IP addresses and overlong
 * addresses. Normalizing twice gives the same result.
 */
export declare const normalizeEmail: (input: string) => Result<NormalizedEmail>;
