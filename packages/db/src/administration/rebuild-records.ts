import type { AdministrationDatabase } from '../administration-database.js';
import { refreshRecords } from '../setup/refresh-records.js';
import { type AuditOrigin, writeAuditEvent, unnamedOrigin } from './audit.js';

/**
 * Rebuilds the stored records of an organization's opportunities with {@link refreshRecords}. The audit event is written first, so that
 * the trail also shows an interrupted rebuild.
 *
 * @param onProgress - receives the number of processed opportunities
 * @param origin - who requested it
 * @returns the number of processed opportunities
 */
export const rebuildRecords = async (
  database: AdministrationDatabase,
  organizationId: string,
  onProgress: (done: number) => void = () => undefined,
  origin: AuditOrigin = unnamedOrigin(),
): Promise<number> => {
  const event = { organizationId, action: 'opportunities.rebuild', target: organizationId, details: {} } as const;
  await writeAuditEvent(database.prisma, origin, event);
  return (await refreshRecords(database, organizationId, null, onProgress)) ?? 0;
};
