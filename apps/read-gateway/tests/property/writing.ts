import type { OrganizationSetup, Database } from '@crm/db';

/** What the records of a world are written with. */
export interface Writing {
  readonly database: Database;
  readonly setup: OrganizationSetup;
}
