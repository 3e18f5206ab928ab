import type { OrganizationSetup, Database } from '@crm/db';

/** What the functions that write records need. */
export interface Writing {
  readonly database: Database;
  readonly setup: OrganizationSetup;
}
