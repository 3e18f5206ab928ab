import { nearestName } from '../nearest-name.js';
import { accountNameFromDomain } from './account-name.js';

/** The label that names an account, for comparing. */
const labelOf = (domain: string): string => accountNameFromDomain(domain).toLowerCase();

/**
 * Whether two domains may be of one company: one is part of the other (`eu.acme.com`, `acme.com`), or their registrable labels are equal
 * (`acme.com`, `acme.de`) or at most two letters apart (`globex.com`, `globx.com`). A weak sign by itself: it is only
 * used for accounts with equal names.
 */
export const areNearDomains = (one: string, other: string): boolean => {
  if (one === other || one.endsWith(`.${other}`) || other.endsWith(`.${one}`)) return true;
  const [label, otherLabel] = [labelOf(one), labelOf(other)];
  return label === otherLabel || nearestName(label, [otherLabel]) !== undefined;
};
