import { auditAdministration, type AuditOrigin, unnamedOrigin } from './administration/audit.js';
import { apiKeyAdministration } from './administration/api-keys.js';
import { organizationAdministration } from './administration/organizations.js';
import type { AdministrationDatabase } from './administration-database.js';

/**
 * All administration operations. Each change is one transaction, which also writes its event to the audit trail.
 * @param origin - who makes the changes; by default the trail says `unnamed`
 */
export const administration = (database: AdministrationDatabase, origin: AuditOrigin = unnamedOrigin()) => ({
  ...organizationAdministration(database, origin),
  ...apiKeyAdministration(database, origin),
  ...auditAdministration(database),
});

/** See {@link administration}. */
export type Administration = ReturnType<typeof administration>;
