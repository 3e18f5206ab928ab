import { createOpportunity } from '@crm/contract';
import type { TestGateway } from './gateway.js';

/** An opportunity's stored record, as lists show it, with some of its columns. */
export interface StoredOpportunity extends Record<string, unknown> {
  readonly domain: string | null;
  readonly primary_email: string | null;
  readonly additional_emails: readonly string[];
}

/** Calls that tests of opportunities share. */
export const opportunitiesOf = (gateway: () => TestGateway) => ({
  /** Creates a deal in the organization's pipeline. */
  create: (opportunity: object, related?: object) =>
    gateway().client.call(createOpportunity, {
      body: {
        pipeline_id: gateway().organization.pipeline.id,
        opportunity,
        ...(related === undefined ? {} : { related_objects: related }),
      },
    }),

  /** Every stored deal with a name, oldest first, with the natural keys of its related records. */
  stored: (name: string) =>
    gateway().rows<StoredOpportunity>(
      `SELECT o.*, s.label AS stage, m.email AS owner_email,
          (SELECT a.domain FROM accounts a WHERE a.organization_id = $1 AND a.id = o.account_id) AS domain,
          (SELECT c.email FROM contacts c WHERE c.organization_id = $1 AND c.id = o.contact_id) AS primary_email,
          ARRAY(SELECT c.email FROM opportunity_contacts l JOIN contacts c ON c.organization_id = $1 AND c.id = l.contact_id
                 WHERE l.organization_id = $1 AND l.opportunity_id = o.id ORDER BY l.position) AS additional_emails
         FROM opportunities o
         LEFT JOIN stages s ON s.organization_id = $1 AND s.id = o.stage_id
         LEFT JOIN members m ON m.organization_id = $1 AND m.id = o.owner_id
        WHERE o.organization_id = $1 AND o.name = $2 ORDER BY o.created_at, o.id`,
      [name],
    ),
});
