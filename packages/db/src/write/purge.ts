import type { Database } from '../database.js';

/** The number of rows that one statement deletes. It is low so that the statement holds its locks only for milliseconds. */
const batchSize = 1_000;

/**
 * Deletes the expired stored results of all organizations. A write with an `Idempotency-Key` deletes a few expired results of its own
 * organization. This function is for organizations that no longer write.
 * @returns the number of deleted results
 */
export const purgeExpiredResults = async (database: Database): Promise<number> => {
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

/** The tables with values of people, from small to large. The events have no statistics of values. */
const personalTables = ['contact_aliases', 'idempotency_keys', 'contacts', 'notes', 'opportunities'];

/**
 * Collects the planner's statistics of tables with values of people again if they have changed. Otherwise the statistics could contain
 * values of erased people.
 * @returns the number of tables
 */
export const refreshStatistics = async (database: Database): Promise<number> => {
  let refreshed = 0;
  for (const table of personalTables) {
    const text = 'SELECT refresh_statistics($1) AS "isRefreshed"';
    const { isRefreshed } = await database.withConnection((connection) =>
      connection.queryServer<{ isRefreshed: boolean }>(text, [table]),
    );
    if (isRefreshed) refreshed += 1;
  }
  return refreshed;
};
