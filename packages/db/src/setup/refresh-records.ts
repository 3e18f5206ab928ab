import type { Database, Queries } from '../database.js';

/** The most stored records that one transaction rebuilds. It is low so that writes wait only briefly for a row. */
const batchSize = 500;
/** The most bytes that one transaction of a batch rebuilds or logs, unless one record alone has more. */
export const batchBytes = 4 * 1024 * 1024;
/**
 * A rebuild that no process has worked on for this long was abandoned. A batch may take longer, because its process holds the row of the
 * rebuild meanwhile: the time only has to be longer than the pause between two batches.
 */
export const abandonedAfterSeconds = 2;

interface Batch extends Record<string, unknown> {
  readonly isCurrent: boolean;
  readonly done: number;
  readonly lastId: string | null;
}

const timeFormat = `'YYYY-MM-DD"T"HH24:MI:SS.MS"Z"'`;

/**
 * Rebuilds the stored records of an organization's opportunities in small transactions. Records that are up to date are not written.
 *
 * @param outdatedAt - the change of the setup that outdated the records, if one did. A later change ends the rebuild, because it has
 * started its own
 * @param onProgress - receives the number of processed opportunities
 * @returns the number of processed opportunities, or null if a later change ended the rebuild
 */
export const refreshRecords = async (
  database: Queries,
  organizationId: string,
  outdatedAt: string | null,
  onProgress: (done: number) => void = () => undefined,
): Promise<number | null> => {
  let total = 0;
  let last: string | null = null;
  for (;;) {
    const text = 'SELECT is_current AS "isCurrent", done, last_id AS "lastId" FROM rebuild_records($1, $2, $3, $4, $5)';
    const values: unknown[] = [outdatedAt, last, batchSize, batchBytes];
    const [row]: Batch[] = await database.query<Batch>(organizationId, { text, values });
    if (row?.isCurrent !== true) return null;
    if (row.done === 0) break;
    last = row.lastId;
    total += row.done;
    onProgress(total);
  }
  if (outdatedAt !== null) {
    await database.query(organizationId, { text: 'SELECT end_rebuild($1, $2)', values: [outdatedAt] });
  }
  return total;
};

const abandonedSql = `
  SELECT coalesce(json_agg(r.organization_id), '[]') AS ids
    FROM record_rebuilds r WHERE r.active_at < clock_timestamp() - interval '1 second' * $1`;

/**
 * Completes rebuilds that were abandoned, for example because their process ended. If one fails, the others still run.
 * @param olderThanSeconds - rebuilds that a process has worked on since are left to it
 * @returns the number of processed opportunities
 * @throws Error the first failure, after all have run
 */
export const completeRebuilds = async (database: Database, olderThanSeconds: number): Promise<number> => {
  const { ids } = await database.withConnection((connection) =>
    connection.queryServer<{ ids: string[] }>(abandonedSql, [olderThanSeconds]),
  );
  let count = 0;
  const failures: unknown[] = [];
  for (const id of ids) {
    try {
      const text = `SELECT to_char(c AT TIME ZONE 'UTC', ${timeFormat}) AS "outdatedAt" FROM claim_rebuild($1, $2) c`;
      const claim = { text, values: [olderThanSeconds] };
      const [row] = await database.query<{ outdatedAt: string | null }>(id, claim);
      const outdatedAt = row?.outdatedAt ?? null;
      if (outdatedAt !== null) count += (await refreshRecords(database, id, outdatedAt)) ?? 0;
    } catch (error) {
      failures.push(error);
    }
  }
  if (failures.length > 0) throw failures[0];
  return count;
};
