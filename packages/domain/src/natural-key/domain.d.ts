import { type Result } from '../result.js';
/** A company's domain: the natural key of its account, and its form for display. */
export interface NormalizedDomain {
    /** UTS-46 ASCII form, lower case: `xn--mller-kva.de`. */
    readonly domain: string;
    /** Unicode form: `müller.de`. For most domains it equals `domain`. */
    readonly display: string;
}
/**
 * The natural key of an account, from a domain or a web address as people paste it. Drops the scheme, userinfo, port,
 * path, query, fragment, trailing dot and one leading `www.` (if at least two labels remain). Converts the rest to
 * UTS-46 ASCII. Other subdomains stay distinct. Rejects IP addresses, single labels and more than 253 octets.
 *
 * Normalizing twice gives the same result, with one exception: each call drops one `www.`, so `www.www.acme.com` gives
 * `www.acme.com`.
 */
export declare const normalizeDomain: (input: string) => Result<NormalizedDomain>;
