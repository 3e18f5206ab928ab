import { nearestName } from '../nearest-name.js';
import { accountNameFromDomain } from './account-name.js';
/** The label that names the account, for the comparison. */
const labelOf = (domain) => accountNameFromDomain(domain).toLowerCase();
/**
 * Whether two domains may belong to the same company. Either one is a subdomain of the other (`eu.acme.com`,
 * `acme.com`), or their registrable labels are equal (`acme.com`, `acme.de`) or nearly equal (`globex.com`,
 * `globx.com`). Nearly equal labels differ in at most two letters and in fewer than half of their letters, so `ab.com`
 * and `cd.com` are not near. This is a weak sign, so it is only used for accounts with equal names.
 */
export const areNearDomains = (one, other) => {
    if (one === other || one.endsWith(`.${other}`) || other.endsWith(`.${one}`))
        return true;
    const [label, otherLabel] = [labelOf(one), labelOf(other)];
    return label === otherLabel || nearestName(label, [otherLabel]) !== undefined;
};
//# sourceMappingURL=near-domain.js.map