import { createRequire } from 'node:module';

// Not an import with attributes: Node 20 prints an experimental warning for those.
const common = createRequire(import.meta.url)('email-providers/common.json') as readonly string[];

const domainsIn = (text: string): readonly string[] => text.trim().split(/\s+/);

/**
 * Further domains of the listed providers, and large providers that are not listed. The package's long list is not
 * used: it has thousands of company and throw-away domains, so it would treat too many companies as mail providers.
 */
const alsoFreeMail = domainsIn(`
  googlemail.com ymail.com rocketmail.com rediffmail.com pm.me protonmail.ch gmx.ch aol.de
  fastmail.com tutanota.com tuta.com tuta.io posteo.de duck.com zohomail.com bk.ru inbox.ru
  hotmail.co.uk hotmail.de hotmail.es hotmail.fr hotmail.it live.co.uk live.de live.fr
  outlook.de outlook.es outlook.fr outlook.it yahoo.co.in yahoo.com.au yahoo.es yahoo.in
  yahoo.it privaterelay.appleid.com
`);

/**
 * Domains on the list that are not public mail providers: placeholders, and companies whose employees are contacts in a
 * CRM.
 */
const notFreeMail = domainsIn(`
  example.com test.com test.de yourdomain.com mydomain.com
  facebook.com alibaba.com about.com discovery.com ancestry.com medscape.com space.com
  techspot.com name.com easypost.com dnsmadeeasy.com oath.com telstra.com nus.edu.sg unican.es
`);

/** The normalized domains of {@link isFreeMail}. */
export const freeMailDomains: ReadonlySet<string> = new Set(
  [...common, ...alsoFreeMail].filter((domain) => !notFreeMail.includes(domain)),
);

/**
 * Whether the domain belongs to a public mail provider and so says nothing about a person's company. Subdomains of a
 * provider do not count. Natural keys of opportunities depend on the result, so the version of the list is pinned, and
 * a test detects changes.
 *
 * @param domain a domain normalized to ASCII
 */
export const isFreeMail = (domain: string): boolean => freeMailDomains.has(domain);
