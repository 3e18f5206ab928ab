import type pg from 'pg';

/** The tables that the load fills. */
export const loadedTables = ['accounts', 'contacts', 'opportunities', 'opportunity_contacts'] as const;

interface IndexRow {
  readonly name: string;
  readonly definition: string;
}

/** All indexes except primary keys, which belong to constraints. */
const secondaryIndexesSql = `
  SELECT i.indexname AS name, i.indexdef AS definition FROM pg_indexes i
   WHERE i.schemaname = current_schema AND i.tablename = ANY ($1)
     AND NOT EXISTS (SELECT FROM pg_constraint c WHERE c.conindid = format('%I.%I', i.schemaname, i.indexname)::regclass)
   ORDER BY i.tablename, i.indexname`;

/**
 * Runs `load` without the secondary indexes of the loaded tables, and then recreates them from their definitions.
 * Building an index once takes a fraction of the time of updating it for a million inserts.
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

/** Runs `load` without foreign key checks if the role may turn them off. Otherwise the load is slower. */
export const withoutForeignKeys = async (client: pg.PoolClient, load: () => Promise<void>): Promise<void> => {
  const { rows } = await client.query<{ isAllowed: boolean }>(
    'SELECT rolsuper AS "isAllowed" FROM pg_roles WHERE rolname = current_user',
  );
  // Foreign keys are triggers, which do not fire in the replica role. The setting ends with the connection.
  if (rows[0]?.isAllowed === true) await client.query('SET session_replication_role = replica');
  await load();
  if (rows[0]?.isAllowed === true) await client.query('SET session_replication_role = origin');
};
