import {
  accountNameFromDomain,
  type CustomFieldDefinition,
  type CustomValue,
  fold,
  isFreeMail,
  type NormalizedEmail,
} from '@crm/domain';
import type { Catalog } from '../catalog.js';
import { storeValues } from './stored-values.js';

/** Custom values with the definitions they were read by. */
export interface CustomValues {
  readonly definitions: ReadonlyMap<string, CustomFieldDefinition>;
  readonly values: ReadonlyMap<string, CustomValue | null>;
}

/** A company to be created: normalised, as `domain` makes it. */
export interface NewAccount extends CustomValues {
  readonly domain: string;
  /** Made from the domain when null. */
  readonly name: string | null;
  readonly industry: string | null;
  readonly description: string | null;
  readonly website: string | null;
  readonly employeeRange: string | null;
}

/** A person to be created. */
export interface NewContact extends CustomValues {
  readonly email: NormalizedEmail;
  readonly firstName: string | null;
  readonly lastName: string | null;
  readonly jobTitle: string | null;
  readonly phone: string | null;
}

const foldOrNull = (text: string | null): string | null => (text === null ? null : fold(text));

/** What `q` looks through. */
const searchText = (...folds: readonly (string | null)[]): string => folds.filter((text) => text !== null).join(' ');

/** The row of an account that only its domain is known of. */
export const accountSeed = (domain: string) => {
  const name = accountNameFromDomain(domain);
  const nameFold = fold(name);
  return {
    domain,
    name,
    name_fold: nameFold,
    is_freemail: isFreeMail(domain),
    search_text: searchText(nameFold, domain),
  };
};

/** The columns of a new account. */
export const accountRow = (account: NewAccount) => {
  const name = account.name ?? accountNameFromDomain(account.domain);
  const nameFold = fold(name);
  return {
    ...storeValues(account.definitions, account.values, {
      industry: foldOrNull(account.industry),
      description: foldOrNull(account.description),
      website: foldOrNull(account.website),
      employee_range: foldOrNull(account.employeeRange),
    }),
    domain: account.domain,
    name,
    name_fold: nameFold,
    industry: account.industry,
    description: account.description,
    website: account.website,
    employee_range: account.employeeRange,
    is_freemail: isFreeMail(account.domain),
    search_text: searchText(nameFold, account.domain),
  };
};

/** The columns of a new contact, and the domain of its account. */
export const contactRow = (catalog: Catalog, contact: NewContact) => {
  const firstFold = foldOrNull(contact.firstName);
  const lastFold = foldOrNull(contact.lastName);
  const nameFold = searchText(firstFold, lastFold);
  return {
    ...storeValues(contact.definitions, contact.values, {
      first_name: firstFold,
      last_name: lastFold,
      job_title: foldOrNull(contact.jobTitle),
      phone: foldOrNull(contact.phone),
    }),
    email: contact.email.email,
    account_domain: accountDomainOf(catalog, contact.email),
    first_name: contact.firstName,
    last_name: contact.lastName,
    name_fold: nameFold === '' ? null : nameFold,
    job_title: contact.jobTitle,
    phone: contact.phone,
    search_text: searchText(firstFold, lastFold, contact.email.email),
  };
};

/** The domain of a contact's account, or null where the organization wants none for free mail. */
export const accountDomainOf = (catalog: Catalog, { domain }: NormalizedEmail): string | null =>
  catalog.freemail === 'skip' && isFreeMail(domain) ? null : domain;

/** What `ensure_accounts` and `ensure_contacts` take: every account and contact that a call names, each once. */
export const relatedSeeds = (catalog: Catalog, domains: readonly string[], emails: readonly NormalizedEmail[]) => {
  const contacts = new Map(
    emails.map((email) => [
      email.email,
      { email: email.email, account_domain: accountDomainOf(catalog, email), search_text: email.email },
    ]),
  );
  const accounts = new Set(domains);
  for (const { account_domain: domain } of contacts.values()) if (domain !== null) accounts.add(domain);
  return { accounts: [...accounts].map(accountSeed), contacts: [...contacts.values()] };
};
