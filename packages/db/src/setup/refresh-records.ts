import type { Database, Queries } from '../database.js';

/** The number of stored records that one transaction rebuilds. It is low so that writes wait only briefly for a row. */
const batchSize = 500;

/** The ids of the next batch, in order. `$2` is the last id of the previous batch. */
const nextIdsSql = `
  SELECT array_agg(b.id ORDER BY b.id) AS ids FROM (
    SELECT o.id FROM opportunities o WHERE o.organization_id = $1 AND ($2::uuid IS NULL OR o.id > $2::uuid) ORDER BY o.id LIMIT $3
  ) AS b`;

/**
 * Rebuilds the stored records of an organization's opportunities in small transactions. Records that are up to date are not written.
 *
 * @param onProgress - receives the number of processed opportunities
 * @returns the number of processed opportunities
 */
export const refreshRecords = async (
  database: Queries,
  organizationId: string,
  onProgress: (done: number) => void = () => undefined,
): Promise<number> => {
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

/** Rebuilds the stored records after a change of the setup, and then marks the rebuild as done. */
export const refreshOutdatedRecords = async (
  database: Queries,
  organizationId: string,
  outdatedAt: string,
  onProgress?: (done: number) => void,
): Promise<number> => {
  const count = await refreshRecords(database, organizationId, onProgress);
  await database.query(organizationId, { text: 'SELECT end_rebuild($1, $2)', values: [outdatedAt] });
  return count;
};

const interruptedSql = `
  SELECT coalesce(json_agg(json_build_object('id', r.organization_id,
    'outdatedAt', to_char(r.outdated_at AT TIME ZONE 'UTC', 'YYYY-MM-DD"T"HH24:MI:SS.MS"Z"'))), '[]') AS organizations
    FROM record_rebuilds r WHERE r.outdated_at < clock_timestamp() - interval '1 second' * $1`;

/**
 * Completes rebuilds that were interrupted, for example because their process ended.
 * @param olderThanSeconds - younger rebuilds are left to the process that started them
 * @returns the number of processed opportunities
 */
export const completeRebuilds = async (database: Database, olderThanSeconds: number): Promise<number> => {
  const { organizations } = await database.withConnection((connection) =>
    connection.queryServer<{ organizations: { id: string; outdatedAt: string }[] }>(interruptedSql, [olderThanSeconds]),
  );
  let count = 0;
  for (const { id, outdatedAt } of organizations) count += await refreshOutdatedRecords(database, id, outdatedAt);
  return count;
};
