import type { Database } from '../database.js';

/**
 * Creates the partitions of the change log for the next weeks. Several gateways may do so at once.
 * @returns the number of created partitions
 */
export const makeEventPartitions = async (database: Database): Promise<number> => {
  const { made } = await database.withConnection((connection) =>
    connection.queryServer<{ made: number }>('SELECT make_event_partitions() AS made', []),
  );
  return made;
};

/**
 * Expires the events of all organizations that are older than a number of days, in whole weeks. It first makes them unreadable, then drops
 * their partitions. Several gateways may do so at once.
 * @returns the number of dropped partitions
 */
export const purgeExpiredEvents = async (database: Database, days: number): Promise<number> => {
  const { ids } = await database.withConnection((connection) =>
    connection.queryServer<{ ids: string[] }>(
      `SELECT coalesce(array_agg(organization_id), '{}') AS ids FROM event_heads`,
      [],
    ),
  );
  for (const organizationId of ids)
    await database.query(organizationId, { text: 'SELECT expire_events($1, $2)', values: [days] });
  const { dropped } = await database.withConnection((connection) =>
    connection.queryServer<{ dropped: number }>('SELECT drop_event_partitions($1) AS dropped', [days]),
  );
  return dropped;
};
