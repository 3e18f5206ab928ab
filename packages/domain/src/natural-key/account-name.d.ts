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
export declare const accountNameFromDomain: (domain: string) => string;
