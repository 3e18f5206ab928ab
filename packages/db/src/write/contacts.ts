import type { NormalizedEmail } from '@crm/domain';
import type { OrganizationSetup } from '../organization-setup.js';
import { accountDomainOf, requestedAccounts } from './related.js';
import { type Change, type CustomValues, columnChange } from './stored-values.js';
import type { CreatedRecord, OnMatch, UpdateTarget, Write, WrittenRecord } from './write.js';

/** Changes of a contact, with values normalized by the package `domain`. Undefined keeps the value, null clears it. */
export interface ContactChange extends CustomValues {
  readonly email?: NormalizedEmail | undefined;
  readonly externalId?: string | null | undefined;
  readonly firstName?: string | null | undefined;
  readonly lastName?: string | null | undefined;
  readonly jobTitle?: string | null | undefined;
  readonly phone?: string | null | undefined;
}

/** A contact to create or find. It has an email or an external id. */
export type NewContact = ContactChange;

/** The result of creating a contact. */
export interface CreatedContact extends CreatedRecord {
  readonly email: string;
  readonly first_name: string | null;
  readonly last_name: string | null;
}

const contactColumns = (contact: ContactChange): Change => {
  const change = columnChange(contact, {
    external_id: contact.externalId,
    first_name: contact.firstName,
    last_name: contact.lastName,
    job_title: contact.jobTitle,
    phone: contact.phone,
  });
  return contact.email === undefined ? change : { ...change, set: { email: contact.email.email, ...change.set } };
};

/** Finds the contact with the external id or email, or creates it, and its account if that is missing. */
export const contactCreate = (
  setup: OrganizationSetup,
  contact: NewContact,
  onMatch: OnMatch,
): Write<CreatedContact> => {
  const accountDomain = contact.email === undefined ? null : accountDomainOf(setup, contact.email);
  return {
    function: 'create_contact',
    input: {
      accounts: requestedAccounts(accountDomain),
      account_domain: accountDomain,
      change: contactColumns(contact),
      on_match: onMatch,
    },
  };
};

/** Changes a contact. A new email moves it to the account of the email's domain, which is created if it is missing. */
export const contactUpdate = (
  setup: OrganizationSetup,
  { id, version }: UpdateTarget,
  contact: ContactChange,
): Write<WrittenRecord> => {
  const accountDomain = contact.email === undefined ? undefined : accountDomainOf(setup, contact.email);
  return {
    function: 'update_contact',
    input: {
      id,
      accounts: requestedAccounts(accountDomain ?? null),
      change: { ...contactColumns(contact), account_domain: accountDomain, version },
    },
  };
};
