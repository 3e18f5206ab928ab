import { accountDomainOfEmail, accountNameFromDomain, isFreeMail, normalizeForSearch } from '@crm/domain';
import type { OrganizationSetup } from '../organization-setup.js';

/** The columns of a new account, derived from its domain. */
export const accountSeed = (domain: string) => {
  const name = accountNameFromDomain(domain);
  return { domain, name, normalized_name: normalizeForSearch(name), is_freemail: isFreeMail(domain) };
};

/** The domain of a contact's account. Null for free mail if the organization is set up to create no accounts for it. */
export const accountDomainOf = (setup: OrganizationSetup, email: string): string | null => {
  const domain = accountDomainOfEmail(email);
  return setup.freemail === 'skip' && isFreeMail(domain) ? null : domain;
};

/** The input of `ensure_accounts` for the account of a contact that a request creates or whose email it changes. */
export const requestedAccounts = (domain: string | null) =>
  domain === null ? [] : [{ ...accountSeed(domain), is_requested: true }];

/**
 * The input of `ensure_accounts` and `ensure_contacts`: every account and contact that a request names, each once. It includes an account
 * for the domain of each email. That account is created only if the contact is new, because an existing contact may belong to another
 * account, or its account may have another domain now.
 */
export const relatedSeeds = (setup: OrganizationSetup, domains: readonly string[], emails: readonly string[]) => {
  const contacts = new Map(emails.map((email) => [email, { email, account_domain: accountDomainOf(setup, email) }]));
  const requested = new Set(domains);
  const accounts = new Set(domains);
  for (const { account_domain: domain } of contacts.values()) if (domain !== null) accounts.add(domain);
  return {
    accounts: [...accounts].map((domain) => ({ ...accountSeed(domain), is_requested: requested.has(domain) })),
    contacts: [...contacts.values()],
  };
};
