import type { NormalizedEmail } from './email.js';
import { isFreeMail } from './free-mail.js';

/**
 * What an opportunity belongs to: the account of a domain; where the only clue is a private address, that contact alone; or
 * nothing.
 */
export type OpportunityAccountSource =
  | { readonly kind: 'account'; readonly domain: string }
  | { readonly kind: 'contact'; readonly email: string }
  | { readonly kind: 'none' };

/**
 * Decides what a new opportunity belongs to. A domain that was sent always counts, a mail provider's too. Without one it is
 * the domain of the primary contact, unless that is free mail: the "Website redesign" of two people who happen to
 * share a mail provider is two deals.
 *
 * @param accountDomain normalised domain, or null where none was sent
 * @param primaryContact normalised address, or null where none was sent
 */
export const opportunityAccountSource = (
  accountDomain: string | null,
  primaryContact: NormalizedEmail | null,
): OpportunityAccountSource => {
  if (accountDomain !== null) return { kind: 'account', domain: accountDomain };
  if (primaryContact === null) return { kind: 'none' };
  if (isFreeMail(primaryContact.domain)) return { kind: 'contact', email: primaryContact.email };
  return { kind: 'account', domain: primaryContact.domain };
};

/** Additional contacts of one opportunity. */
export const maxAdditionalContacts = 100;
