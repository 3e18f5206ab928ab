import type { Database } from '../database.js';

/** Rows that one statement deletes: few enough that it holds its locks for milliseconds. */
const batchSize = 1_000;

/**
 * Deletes the stored answers of all organizations that have expired. Writes with an `Idempotency-Key` delete a few of their own
 * organization; this is for organizations that write no more.
 * @returns how many were deleted
 */
export const purgeExpiredAnswers = async (database: Database): Promise<number> => {
  const { ids } = await database.withConnection((connection) =>
    connection.queryServer<{ ids: string[] }>(`SELECT coalesce(array_agg(id), '{}') AS ids FROM organizations`, []),
  );
  let deleted = 0;
  for (const organizationId of ids) {
    for (;;) {
      const statement = { text: 'SELECT delete_expired_results($1, $2) AS count', values: [batchSize] };
      const [row] = await database.query<{ count: number }>(organizationId, statement);
      deleted += row?.count ?? 0;
      if (row === undefined || row.count < batchSize) break;
    }
  }
  return deleted;
};
