import { getDomainWithoutSuffix } from 'tldts';
import { hostToUnicode } from './host.js';

const options = { extractHostname: false, validateHostname: false } as const;

/**
 * The default name of an account created from a domain alone: the registrable label in Unicode form, capitalised.
 * `acme.com`, `mail.acme.com` and `acme.co.uk` give `Acme`, `xn--mller-kva.de` gives `Müller`.
 *
 * The Public Suffix List is used for this name only, never for keys, because the list changes over time. Its private
 * section counts (`acme.github.io` is Acme's); a domain that is itself a suffix is named after its first label.
 *
 * @param domain a domain normalized to ASCII
 */
export const accountNameFromDomain = (domain: string): string => {
  const label =
    getDomainWithoutSuffix(domain, { ...options, allowPrivateDomains: true }) ??
    getDomainWithoutSuffix(domain, { ...options, allowPrivateDomains: false }) ??
    domain.slice(0, Math.max(domain.indexOf('.'), 0));
  return capitalize(hostToUnicode(label === '' ? domain : label));
};

const capitalize = (text: string): string => {
  const [first = '', ...rest] = text;
  const upper = first.toUpperCase();
  // `ß` becomes `SS`, for example: a capitalized word has only the first of these letters in upper case.
  const [head = '', ...tail] = upper;
  // The upper case of `ΐ` is three code points, and NFC composes two of them. Names are stored in NFC.
  return (head + tail.join('').toLowerCase() + rest.join('')).normalize('NFC');
};
