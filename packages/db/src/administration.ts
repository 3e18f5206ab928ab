import { auditAdministration, type AuditOrigin, unnamedOrigin } from './administration/audit.js';
import { apiKeyAdministration } from './administration/api-keys.js';
import { organizationAdministration } from './administration/organizations.js';
import { setupAdministration } from './administration/setup.js';
import type { AdministrationDatabase } from './administration-database.js';

/**
 * Everything that an operator sets up; every change is one transaction, which also holds its event in the audit trail.
 * @param origin - who does it; the trail says `unnamed` when it is absent
 */
export const administration = (database: AdministrationDatabase, origin: AuditOrigin = unnamedOrigin()) => ({
  ...organizationAdministration(database, origin),
  ...apiKeyAdministration(database, origin),
  ...setupAdministration(database, origin),
  ...auditAdministration(database),
});

/** See {@link administration}. */
export type Administration = ReturnType<typeof administration>;
