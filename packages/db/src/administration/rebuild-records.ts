import type { AdministrationDatabase } from '../administration-database.js';
import { refreshRecords } from '../setup/refresh-records.js';
import { type AuditOrigin, noteEvent, unnamedOrigin } from './audit.js';

/**
 * Rebuilds the stored records of an organization's opportunities as {@link refreshRecords} does, on request. The audit event is
 * written first, so that an interrupted rebuild is in the trail too.
 *
 * @param onProgress - receives the number of opportunities done so far
 * @param origin - who does it
 * @returns how many opportunities there were
 */
export const rebuildRecords = async (
  database: AdministrationDatabase,
  organizationId: string,
  onProgress: (done: number) => void = () => undefined,
  origin: AuditOrigin = unnamedOrigin(),
): Promise<number> => {
  const event = { organizationId, action: 'opportunities.rebuild', target: organizationId, details: {} } as const;
  await noteEvent(database.prisma, origin, event);
  return refreshRecords(database, organizationId, onProgress);
};
