import type { FilterLeaf } from '@crm/domain';
import { not } from './comparison.js';
import type { Parameters } from './parameters.js';

const linkSql = (condition: string): string =>
  `EXISTS (SELECT FROM opportunity_contacts l WHERE l.organization_id = $1 AND l.opportunity_id = r.id${condition})`;

/**
 * A comparison of `contact_id` with the primary and the additional contacts of the opportunity `r`.
 *
 * `in [x]` → `(r.contact_id = ANY ($2::uuid[]) OR EXISTS (SELECT FROM opportunity_contacts l WHERE l.organization_id = $1
 * AND l.opportunity_id = r.id AND l.contact_id = ANY ($2::uuid[])))`
 */
export const ofContactSql = ({ operator, value }: FilterLeaf, parameters: Parameters): string => {
  const isAny = `(r.contact_id IS NOT NULL OR ${linkSql('')})`;
  if (operator === 'not_empty') return isAny;
  if (operator === 'empty') return not(isAny);
  const ids = `ANY (${parameters.add(value)}::uuid[])`;
  const isOne = `(r.contact_id = ${ids} OR ${linkSql(` AND l.contact_id = ${ids}`)})`;
  return operator === 'not_in' ? not(isOne) : isOne;
};

/**
 * The ids of the opportunities of some contacts, each once. Two indexes find them, one for each place: an `OR` would need both for each
 * opportunity.
 */
export const idsOfContactsSql = ({ value }: FilterLeaf, parameters: Parameters): string => {
  const ids = `ANY (${parameters.add(value)}::uuid[])`;
  return (
    `SELECT o.id FROM opportunities o WHERE o.organization_id = $1 AND o.contact_id = ${ids} UNION ` +
    `SELECT l.opportunity_id FROM opportunity_contacts l WHERE l.organization_id = $1 AND l.contact_id = ${ids}`
  );
};
