import type { AdministrationDatabase } from '../administration-database.js';
import { type AuditOrigin, noteEvent, unnamedOrigin } from './audit.js';

/** Opportunities whose stored records one transaction rebuilds: few enough that writes wait only briefly for a row. */
const batchSize = 500;

/** The ids of the next batch, in order. `$2` is the last id of the batch before. */
const nextIdsSql = `
  SELECT array_agg(b.id ORDER BY b.id) AS ids FROM (
    SELECT o.id FROM opportunities o WHERE o.organization_id = $1 AND ($2::uuid IS NULL OR o.id > $2::uuid) ORDER BY o.id LIMIT $3
  ) AS b`;

/**
 * Rebuilds the stored records of an organization's opportunities in small transactions. Needed after a field was hidden or shown;
 * at other times the stored records are correct and nothing changes. The audit event is written first, so that an interrupted
 * rebuild is in the trail too.
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
