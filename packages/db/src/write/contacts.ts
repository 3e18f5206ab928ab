import type { Change } from '@crm/domain';
import type { OrganizationSetup } from '../organization-setup.js';
import { accountDomainOf, requestedAccounts } from './related.js';
import type { CreatedRecord, OnMatch, UpdateTarget, Write, WrittenRecord } from './write.js';

/** The result of creating a contact. */
export interface CreatedContact extends CreatedRecord {
  readonly email: string;
  readonly first_name: string | null;
  readonly last_name: string | null;
}

/** The domain of the account that the email of a change belongs to; undefined if the change has no email. */
const accountDomainIn = (setup: OrganizationSetup, { set }: Change): string | null | undefined =>
  set['email'] === undefined ? undefined : accountDomainOf(setup, set['email'] as string);

/** Finds the contact with the external id or email, or creates it, and its account if that is missing. The change has one of the two. */
export const contactCreate = (setup: OrganizationSetup, change: Change, onMatch: OnMatch): Write<CreatedContact> => {
  const accountDomain = accountDomainIn(setup, change) ?? null;
  return {
    function: 'create_contact',
    input: {
      accounts: requestedAccounts(accountDomain),
      account_domain: accountDomain,
      change,
      on_match: onMatch,
    },
  };
};

/** Changes a contact. A new email moves it to the account of the email's domain, which is created if it is missing. */
export const contactUpdate = (
  setup: OrganizationSetup,
  { id, version }: UpdateTarget,
  change: Change,
): Write<WrittenRecord> => {
  const accountDomain = accountDomainIn(setup, change);
  return {
    function: 'update_contact',
    input: {
      id,
      accounts: requestedAccounts(accountDomain ?? null),
      change: { ...change, account_domain: accountDomain, version },
    },
  };
};
