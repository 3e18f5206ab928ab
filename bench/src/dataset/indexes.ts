import type pg from 'pg';

/** The tables that the load fills. */
export const loadedTables = ['accounts', 'contacts', 'opportunities', 'opportunity_contacts'] as const;

interface IndexRow {
  readonly name: string;
  readonly definition: string;
}

/** All but the primary keys, which constraints own. */
const secondaryIndexesSql = `
  SELECT i.indexname AS name, i.indexdef AS definition FROM pg_indexes i
   WHERE i.schemaname = current_schema AND i.tablename = ANY ($1)
     AND NOT EXISTS (SELECT FROM pg_constraint c WHERE c.conindid = format('%I.%I', i.schemaname, i.indexname)::regclass)
   ORDER BY i.tablename, i.indexname`;

/**
 * Runs `load` while the loaded tables have no secondary index, and makes the same indexes again from their own definitions:
 * building an index once takes a fraction of the time of keeping it through a million inserts.
 */
export const withoutSecondaryIndexes = async (
  client: pg.PoolClient,
  load: () => Promise<void>,
  log: (message: string) => void,
): Promise<void> => {
  const { rows } = await client.query<IndexRow>(secondaryIndexesSql, [loadedTables]);
  for (const { name } of rows) await client.query(`DROP INDEX ${client.escapeIdentifier(name)}`);
  await load();
  for (const [index, { name, definition }] of rows.entries()) {
    log(`index ${index + 1} of ${rows.length}: ${name}`);
    await client.query(definition);
  }
};

/** Runs `load` with foreign keys unchecked where the role may do that; for others the load is correct and slower. */
export const withoutForeignKeys = async (client: pg.PoolClient, load: () => Promise<void>): Promise<void> => {
  const { rows } = await client.query<{ isAllowed: boolean }>(
    'SELECT rolsuper AS "isAllowed" FROM pg_roles WHERE rolname = current_user',
  );
  // Foreign keys are triggers, and a replica fires none. The setting ends with the connection.
  if (rows[0]?.isAllowed === true) await client.query('SET session_replication_role = replica');
  await load();
  if (rows[0]?.isAllowed === true) await client.query('SET session_replication_role = origin');
};
