import { nearestName } from '../nearest-name.js';
import { accountNameFromDomain } from './account-name.js';

/** The label that names the account, for the comparison. */
const labelOf = (domain: string): string => accountNameFromDomain(domain).toLowerCase();

/**
 * Whether two domains may belong to the same company. Either one is part of the other (`eu.acme.com`, `acme.com`), or their registrable
 * labels are equal (`acme.com`, `acme.de`) or at most two letters apart (`globex.com`, `globx.com`). This is a weak sign, so it is only
 * used for accounts with equal names.
 */
export const areNearDomains = (one: string, other: string): boolean => {
  if (one === other || one.endsWith(`.${other}`) || other.endsWith(`.${one}`)) return true;
  const [label, otherLabel] = [labelOf(one), labelOf(other)];
  return label === otherLabel || nearestName(label, [otherLabel]) !== undefined;
};
