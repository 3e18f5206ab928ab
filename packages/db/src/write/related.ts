import { accountNameFromDomain, isFreeMail, normalizeForSearch, type NormalizedEmail } from '@crm/domain';
import type { OrganizationSetup } from '../organization-setup.js';

/** The columns of an account that only its domain is known of. */
export const accountSeed = (domain: string) => {
  const name = accountNameFromDomain(domain);
  return { domain, name, normalized_name: normalizeForSearch(name), is_freemail: isFreeMail(domain) };
};

/** The domain of a contact's account, or null where the organization wants none for free mail. */
export const accountDomainOf = (setup: OrganizationSetup, { domain }: NormalizedEmail): string | null =>
  setup.freemail === 'skip' && isFreeMail(domain) ? null : domain;

/** What `ensure_accounts` takes for an account that a call is about. */
export const namedAccounts = (domain: string | null) =>
  domain === null ? [] : [{ ...accountSeed(domain), is_named: true }];

/**
 * What `ensure_accounts` and `ensure_contacts` take: every account and contact that a call names, each once. The account of
 * a contact's email is only for one that is not there yet: others may have moved, or their account another domain.
 */
export const relatedSeeds = (
  setup: OrganizationSetup,
  domains: readonly string[],
  emails: readonly NormalizedEmail[],
) => {
  const contacts = new Map(
    emails.map((email) => [email.email, { email: email.email, account_domain: accountDomainOf(setup, email) }]),
  );
  const named = new Set(domains);
  const accounts = new Set(domains);
  for (const { account_domain: domain } of contacts.values()) if (domain !== null) accounts.add(domain);
  return {
    accounts: [...accounts].map((domain) => ({ ...accountSeed(domain), is_named: named.has(domain) })),
    contacts: [...contacts.values()],
  };
};
