import type { AdministrationDatabase } from '../administration-database.js';
import { type AuditOrigin, noteEvent, unnamedOrigin } from './audit.js';

/** Opportunities whose stored records one transaction makes anew: few enough that nobody waits long for a row. */
const batchSize = 500;

/** Where two batches meet: the ids of the next batch, in order. */
const nextIdsSql = `
  SELECT array_agg(b.id ORDER BY b.id) AS ids FROM (
    SELECT o.id FROM opportunities o WHERE o.organization_id = $1 AND ($2::uuid IS NULL OR o.id > $2::uuid) ORDER BY o.id LIMIT $3
  ) AS b`;

/**
 * Makes the stored records of all of an organization's opportunities anew, in small transactions. Needed after a field was hidden
 * or shown; otherwise they are always right already, and it changes nothing that a read could see. The audit trail has its
 * event before the first transaction: one that is cut off is in it too.
 *
 * @param onProgress - told the number of opportunities done so far
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
  let done = 0;
  let last: string | null = null;
  for (;;) {
    const statement = { text: nextIdsSql, values: [last, batchSize] };
    const [row]: { ids: string[] | null }[] = await database.query(organizationId, statement);
    const ids: string[] = row?.ids ?? [];
    if (ids.length === 0) return done;
    await database.query(organizationId, { text: 'SELECT refresh_opportunity_records($1, $2)', values: [ids] });
    last = ids.at(-1) ?? null;
    done += ids.length;
    onProgress(done);
  }
};
