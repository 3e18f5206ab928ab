import { accountNameFromDomain, fold, isFreeMail, type NormalizedEmail } from '@crm/domain';
import type { Catalog } from '../catalog.js';

/** The columns of an account that only its domain is known of. */
export const accountSeed = (domain: string) => {
  const name = accountNameFromDomain(domain);
  return { domain, name, name_fold: fold(name), is_freemail: isFreeMail(domain) };
};

/** The domain of a contact's account, or null where the organization wants none for free mail. */
export const accountDomainOf = (catalog: Catalog, { domain }: NormalizedEmail): string | null =>
  catalog.freemail === 'skip' && isFreeMail(domain) ? null : domain;

/** What `ensure_accounts` and `ensure_contacts` take: every account and contact that a call names, each once. */
export const relatedSeeds = (catalog: Catalog, domains: readonly string[], emails: readonly NormalizedEmail[]) => {
  const contacts = new Map(
    emails.map((email) => [email.email, { email: email.email, account_domain: accountDomainOf(catalog, email) }]),
  );
  const accounts = new Set(domains);
  for (const { account_domain: domain } of contacts.values()) if (domain !== null) accounts.add(domain);
  return { accounts: [...accounts].map(accountSeed), contacts: [...contacts.values()] };
};
