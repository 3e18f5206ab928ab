import type { OrganizationSetup, Database } from '@crm/db';

/** The inputs of the functions that write records. */
export interface Writing {
  readonly database: Database;
  readonly setup: OrganizationSetup;
}
