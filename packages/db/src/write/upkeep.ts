import type { Database } from '../database.js';

/** The number of rows that one statement deletes. It is low so that the statement holds its locks only for milliseconds. */
const batchSize = 1_000;

/**
 * Deletes the expired stored results of all organizations.
 * @returns the number of deleted results
 */
export const purgeExpiredResults = async (database: Database): Promise<number> => {
  const organizations = await database.queryServer<{ id: string }>({
    text: 'SELECT id FROM organizations',
    values: [],
  });
  const statement = { text: 'SELECT delete_expired_results($1, $2) AS count', values: [batchSize] };
  let deleted = 0;
  for (const { id } of organizations) {
    let count: number;
    do {
      const [row] = await database.query<{ count: number }>(id, statement);
      count = row?.count ?? 0;
      deleted += count;
    } while (count === batchSize);
  }
  return deleted;
};

/**
 * Creates the partitions of the change log for the next weeks. Several gateways may do so at once.
 * @returns the number of created partitions
 */
export const makeEventPartitions = async (database: Database): Promise<number> => {
  const text = 'SELECT make_event_partitions() AS made';
  const [row] = await database.queryServer<{ made: number }>({ text, values: [] });
  return row?.made ?? 0;
};

/**
 * Expires the events of all organizations that are older than a number of days, in whole weeks. It first makes them unreadable, then drops
 * their partitions. Several gateways may do so at once.
 * @returns the number of dropped partitions
 */
export const purgeExpiredEvents = async (database: Database, days: number): Promise<number> => {
  const headsText = 'SELECT organization_id AS id FROM event_heads';
  const heads = await database.queryServer<{ id: string }>({ text: headsText, values: [] });
  for (const { id } of heads) await database.query(id, { text: 'SELECT expire_events($1, $2)', values: [days] });
  const dropText = 'SELECT drop_event_partitions($1) AS dropped';
  const [row] = await database.queryServer<{ dropped: number }>({ text: dropText, values: [days] });
  return row?.dropped ?? 0;
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
    const [row] = await database.queryServer<{ isRefreshed: boolean }>({ text, values: [table] });
    if (row?.isRefreshed === true) refreshed += 1;
  }
  return refreshed;
};
