import { type Result } from '../result.js';
/** The longest domain, in octets of its ASCII form without a trailing dot. */
export declare const maxDomainLength = 253;
/** The maximum length of a host as typed. Soft hyphens and combining marks can make it longer than 253. */
export declare const maxTypedHostLength = 1024;
/** The error for an IP address. The parsers of domains and emails, which recognise IPv6 addresses, use it too. */
export declare const refuseIpAddress: () => {
    readonly ok: false;
    readonly message: string;
};
/** The Unicode form of an ASCII host, for display: `xn--mller-kva.de` gives `müller.de`. */
export declare const hostToUnicode: (asciiHost: string) => string;
/**
 * The domain of the account that a host belongs to: the host without one leading `www.`, if at least two labels remain.
 * Web addresses and emails share this rule, so that every account can be found by its displayed domain.
 * @param asciiHost a host as {@link hostToAscii} gives it
 */
export declare const accountDomainOfHost: (asciiHost: string) => string;
/**
 * The UTS-46 ASCII form of a bare host, without a trailing dot: lower case, at least two labels of letters, digits and
 * hyphens, 1 to 63 octets each and at most 253 in all. Rejects everything else, including IPv4 addresses in every
 * spelling.
 */
export declare const hostToAscii: (host: string) => Result<string>;
