import { isFreeMail } from './free-mail.js';
/**
 * Decides to which account or contact a new opportunity belongs. A domain in the request always counts, even that of a
 * mail provider. Otherwise the domain of the primary contact counts, unless it belongs to a mail provider. In that case
 * the contact itself counts: two people with the same provider may each have a deal "Website redesign".
 *
 * @param accountDomain normalized domain, or null if none was sent
 * @param primaryContact normalized address, or null if none was sent
 */
export const opportunityAccountSource = (accountDomain, primaryContact) => {
    if (accountDomain !== null)
        return { kind: 'account', domain: accountDomain };
    if (primaryContact === null)
        return { kind: 'none' };
    if (isFreeMail(primaryContact.domain))
        return { kind: 'contact', email: primaryContact.email };
    return { kind: 'account', domain: primaryContact.domain };
};
/** The maximum number of additional contacts of one opportunity. */
export const maxAdditionalContacts = 100;
//# sourceMappingURL=opportunity-key.js.map