import { createRequire } from 'node:module';

// Not an import with attributes: Node 20 prints an experimental warning for those.
const common = createRequire(import.meta.url)('email-providers/common.json') as readonly string[];

/**
 * Other domains of the providers on the list, and large providers that it leaves out. The long list of the same package has
 * thousands of throw-away and company domains, and would take too many real companies for mail providers.
 */
const alsoFreeMail = [
  ...['googlemail.com', 'ymail.com', 'rocketmail.com', 'rediffmail.com', 'pm.me', 'protonmail.ch', 'gmx.ch', 'aol.de'],
  ...[
    'fastmail.com',
    'tutanota.com',
    'tuta.com',
    'tuta.io',
    'posteo.de',
    'duck.com',
    'zohomail.com',
    'bk.ru',
    'inbox.ru',
  ],
  ...['hotmail.co.uk', 'hotmail.de', 'hotmail.es', 'hotmail.fr', 'hotmail.it', 'live.co.uk', 'live.de', 'live.fr'],
  ...['outlook.de', 'outlook.es', 'outlook.fr', 'outlook.it', 'yahoo.co.in', 'yahoo.com.au', 'yahoo.es', 'yahoo.in'],
  ...['yahoo.it', 'privaterelay.appleid.com'],
];

/**
 * On the list, but no place where the public has its mail: names that stand for "your domain here", and companies whose
 * staff a CRM meets as staff.
 */
const notFreeMail = [
  ...['example.com', 'test.com', 'test.de', 'yourdomain.com', 'mydomain.com'],
  ...['facebook.com', 'alibaba.com', 'about.com', 'discovery.com', 'ancestry.com', 'medscape.com', 'space.com'],
  ...[
    'techspot.com',
    'name.com',
    'easypost.com',
    'dnsmadeeasy.com',
    'oath.com',
    'telstra.com',
    'nus.edu.sg',
    'unican.es',
  ],
];

/** The domains of {@link isFreeMail}, in the form in which they are normalised. */
export const freeMailDomains: ReadonlySet<string> = new Set(
  [...common, ...alsoFreeMail].filter((domain) => !notFreeMail.includes(domain)),
);

/**
 * Whether anyone may have an address at this domain, so that it says nothing about a person's company. Exact: a subdomain
 * of a provider is not on the list. The answer takes part in the natural keys of opportunities, therefore the list's
 * version is pinned and a test notices when it changes.
 *
 * @param domain a domain normalised to ASCII
 */
export const isFreeMail = (domain: string): boolean => freeMailDomains.has(domain);
