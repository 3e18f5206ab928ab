import { accountDomainOfEmail } from './email.js';
import { isFreeMail } from './free-mail.js';

/**
 * The account part of an opportunity's natural key: the account of a domain, a contact with a free mail address, or
 * nothing.
 */
export type OpportunityAccountSource =
  | { readonly kind: 'account'; readonly domain: string }
  | { readonly kind: 'contact'; readonly email: string }
  | { readonly kind: 'none' };

/**
 * Decides to which account or contact a new opportunity belongs. A domain in the request always counts, even that of a
 * mail provider. Otherwise the domain of the primary contact counts, unless it belongs to a mail provider. In that case
 * the contact itself counts: two people with the same provider may each have a deal "Website redesign".
 *
 * @param accountDomain normalized domain, or null if none was sent
 * @param primaryEmail normalized address, or null if none was sent
 */
export const opportunityAccountSource = (
  accountDomain: string | null,
  primaryEmail: string | null,
): OpportunityAccountSource => {
  if (accountDomain !== null) return { kind: 'account', domain: accountDomain };
  if (primaryEmail === null) return { kind: 'none' };
  const domain = accountDomainOfEmail(primaryEmail);
  return isFreeMail(domain) ? { kind: 'contact', email: primaryEmail } : { kind: 'account', domain };
};

/** The maximum number of additional contacts of one opportunity. */
export const maxAdditionalContacts = 100;
