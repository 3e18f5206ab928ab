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

/** The `accounts` of `ensure_related` for the account of a contact that a request creates or whose email it changes. */
export const requestedAccounts = (domain: string | null) =>
  domain === null ? [] : [{ ...accountSeed(domain), is_requested: true }];

/**
 * The input of `ensure_related`: every account and contact that a request names, each once. It includes an account
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

/** A record that a request names by its external id. `resolve_links` replaces it by the domain or email of the record. */
export interface Link {
  readonly object: 'account' | 'contact';
  readonly external_id: string;
  /** The domain or email beside it, which must name the same record. */
  readonly key?: string | undefined;
  /** Its path in the body, for errors. */
  readonly path: string;
  /** Where the domain or email goes in the input of the write. */
  readonly into: readonly (readonly string[])[];
  /** Whether it is added to the list there. */
  readonly is_item?: true;
}

/** The input of a write with links; without any, the key is absent. */
export const withLinks = <Input extends object>(
  input: Input,
  links: readonly Link[],
): Input & { links?: readonly Link[] } => (links.length === 0 ? input : { ...input, links });

/** The links of a list of external ids. */
export const linksOfList = (
  object: Link['object'],
  externalIds: readonly string[] | null | undefined,
  path: string,
  into: readonly string[],
): Link[] =>
  (externalIds ?? []).map((external_id, index) => {
    return { object, external_id, path: `${path}[${index}]`, into: [into], is_item: true };
  });
