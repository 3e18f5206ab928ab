/** The normalized domains of {@link isFreeMail}. */
export declare const freeMailDomains: ReadonlySet<string>;
/**
 * Whether the domain belongs to a public mail provider and so says nothing about a person's company. Subdomains of a
 * provider do not count. Natural keys of opportunities depend on the result, so the version of the list is pinned, and
 * a test detects changes.
 *
 * @param domain a domain normalized to ASCII
 */
export declare const isFreeMail: (domain: string) => boolean;
