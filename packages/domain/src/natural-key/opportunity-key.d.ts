import type { NormalizedEmail } from './email.js';
/**
 * The account part of an opportunity's natural key: the account of a domain, a contact with a free mail address, or
 * nothing.
 */
export type OpportunityAccountSource = {
    readonly kind: 'account';
    readonly domain: string;
} | {
    readonly kind: 'contact';
    readonly email: string;
} | {
    readonly kind: 'none';
};
/**
 * Decides to which account or contact a new opportunity belongs. A domain in the request always counts, even that of a
 * mail provider. Otherwise the domain of the primary contact counts, unless it belongs to a mail provider. In that case
 * the contact itself counts: two people with the same provider may each have a deal "Website redesign".
 *
 * @param accountDomain normalized domain, or null if none was sent
 * @param primaryContact normalized address, or null if none was sent
 */
export declare const opportunityAccountSource: (accountDomain: string | null, primaryContact: NormalizedEmail | null) => OpportunityAccountSource;
/** The maximum number of additional contacts of one opportunity. */
export declare const maxAdditionalContacts = 100;
