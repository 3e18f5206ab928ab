import { bodyPathOf, type Change } from '@crm/domain';
import type { OrganizationSetup } from '../organization-setup.js';
import { accountDomainOf, type Link, requestedAccounts, withLinks } from './related.js';
import type { CreatedRecord, OnMatch, UpdateTarget, Write, WrittenRecord } from './write.js';

/** The result of creating a contact. */
export interface CreatedContact extends CreatedRecord {
  readonly email: string;
  readonly first_name: string | null;
  readonly last_name: string | null;
  readonly account_id: string | null;
}

/** The account that a change names: its domain, the way in which the request names it, and the link of an external id. */
interface AccountLink {
  readonly domain: string | null;
  readonly linkedBy: 'account_domain' | 'account_external_id';
  readonly links: readonly Link[];
}

/** The account that a change names; null if the account is that of the email. */
const accountLinkOf = ({ references }: Change): AccountLink | null => {
  const { account_domain: domain, account_external_id: externalId } = references;
  if (domain === undefined && externalId === undefined) return null;
  if (!externalId) return { domain: domain ?? null, linkedBy: 'account_domain', links: [] };
  const path = bodyPathOf('contact', 'account_external_id');
  const into = [['account_domain'], ['change', 'account_domain']];
  const link = { object: 'account', external_id: externalId, key: domain ?? undefined, path, into } as const;
  return { domain: domain ?? null, linkedBy: 'account_external_id', links: [link] };
};

/** The input of a create or an update: the change, and the account that it names or whose domain its email has. */
const contactInput = (setup: OrganizationSetup, { references, ...change }: Change) => {
  const link = accountLinkOf({ references, ...change });
  const email = change.set['email'] as string | undefined;
  const domain = link === null ? (email === undefined ? undefined : accountDomainOf(setup, email)) : link.domain;
  return withLinks(
    {
      accounts: requestedAccounts(domain ?? null),
      account_domain: domain ?? null,
      change: { ...change, account_domain: domain, linked_by: link?.linkedBy },
    },
    link?.links ?? [],
  );
};

/**
 * Finds the contact with the external id or email, or creates it, and its account if that is missing. The change has one of the two. The
 * account is the one that the request names, else that of the email's domain.
 */
export const contactCreate = (setup: OrganizationSetup, change: Change, onMatch: OnMatch): Write<CreatedContact> => ({
  function: 'create_contact',
  input: { ...contactInput(setup, change), on_match: onMatch },
});

/**
 * Changes a contact. A new email moves it to the account of the email's domain, which is created if it is missing. A contact whose account
 * is not that of its old email stays there.
 */
export const contactUpdate = (
  setup: OrganizationSetup,
  { id, version }: UpdateTarget,
  change: Change,
): Write<WrittenRecord> => {
  const input = contactInput(setup, change);
  return { function: 'update_contact', input: { ...input, id, change: { ...input.change, version } } };
};
