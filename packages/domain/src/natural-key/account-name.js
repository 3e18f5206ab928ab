import { getDomainWithoutSuffix } from 'tldts';
import { hostToUnicode } from './host.js';
const options = { extractHostname: false, validateHostname: false };
/**
 * The default name of an account created from a domain alone: the registrable label in Unicode form, capitalised.
 * `acme.com`, `mail.acme.com` and `acme.co.uk` give `Acme`, `xn--mller-kva.de` gives `Müller`.
 *
 * The registrable label comes from the Public Suffix List with its private section: `acme.github.io` gives `Acme`. The
 * list is used for this name only, never for keys, because it changes over time. A domain that is itself a suffix is
 * named after its first label.
 *
 * @param domain a domain normalized to ASCII
 */
export const accountNameFromDomain = (domain) => {
    const label = getDomainWithoutSuffix(domain, { ...options, allowPrivateDomains: true }) ??
        getDomainWithoutSuffix(domain, { ...options, allowPrivateDomains: false }) ??
        domain.slice(0, Math.max(domain.indexOf('.'), 0));
    return capitalize(hostToUnicode(label === '' ? domain : label));
};
const capitalize = (text) => {
    const [first = '', ...rest] = text;
    const upper = first.toUpperCase();
    // The upper case may have several letters, as `SS` for `ß`. Only the first of them stays in upper case.
    const [head = '', ...tail] = upper;
    // The upper case of `ΐ` is three code points, and NFC composes two of them. Names are stored in NFC.
    return (head + tail.join('').toLowerCase() + rest.join('')).normalize('NFC');
};
//# sourceMappingURL=account-name.js.map