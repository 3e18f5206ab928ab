import pg from 'pg';

/** Options of `distribute`. */
export interface DistributeOptions {
  /** The number of shards of each table. By default that of Citus (32). Tables that are already distributed keep theirs. */
  readonly shards?: number | undefined;
  /** Receives each step before it starts. */
  readonly onProgress?: (step: string) => void;
}

/**
 * Makes Citus run statements on the shards of a table one after the other, so that later statements of the transaction see their changes.
 * Has no effect without Citus.
 */
export const inSequenceSql = "SET LOCAL citus.multi_shard_modify_mode = 'sequential'";

/** All other tables are colocated with this one: rows of one organization are on the same worker. */
const firstTable = 'accounts';

/** Reference tables: every server has a copy, because rows on every worker refer to them. */
const copiedTables = ['organizations'];

/**
 * Tables that are not distributed yet, without partitions. The primary key of a tenant table starts with organization_id.
 */
const pendingSql = `
  SELECT t.relname AS name
    FROM pg_class t
    JOIN pg_constraint p ON p.conrelid = t.oid AND p.contype = 'p'
    JOIN pg_attribute a ON a.attrelid = t.oid AND a.attnum = p.conkey[1]
   WHERE t.relnamespace = 'public'::regnamespace AND t.relkind IN ('r', 'p') AND NOT t.relispartition
     -- 'h': distributed by the hash of a column, 't': a copy on every server.
     AND NOT EXISTS (SELECT FROM pg_dist_partition d WHERE d.logicalrelid = t.oid AND (d.partmethod = 'h' OR d.repmodel = 't'))
     AND (a.attname = 'organization_id' OR t.relname = ANY ($1))
   ORDER BY t.relname <> $2, t.relname COLLATE "C"`;

interface ForeignKey {
  readonly table: string;
  readonly name: string;
  readonly definition: string;
}

/** All foreign keys, except those that partitions inherit from their table. */
const foreignKeysSql = `
  SELECT conrelid::regclass::text AS table, conname AS name, pg_get_constraintdef(oid) AS definition
    FROM pg_constraint
   WHERE contype = 'f' AND conparentid = 0 AND connamespace = 'public'::regnamespace
   ORDER BY conrelid::regclass::text COLLATE "C", conname`;

const distributeTable = async (client: pg.ClientBase, table: string, shards: number | undefined): Promise<void> => {
  if (copiedTables.includes(table)) {
    await client.query('SELECT create_reference_table($1)', [table]);
  } else if (table === firstTable) {
    const count = shards === undefined ? '' : ', shard_count => $2::int';
    const values = shards === undefined ? [table] : [table, shards];
    await client.query(
      `SELECT create_distributed_table($1, 'organization_id', colocate_with => 'none'${count})`,
      values,
    );
  } else {
    const text = `SELECT create_distributed_table($1, 'organization_id', colocate_with => '${firstTable}')`;
    await client.query(text, [table]);
  }
};

/** Distributes tables. Citus cannot distribute tables with foreign keys to each other, so the keys are dropped first and added again. */
const moveTables = async (
  client: pg.ClientBase,
  tables: readonly string[],
  { shards, onProgress }: DistributeOptions,
): Promise<void> => {
  const keys = (await client.query<ForeignKey & pg.QueryResultRow>(foreignKeysSql)).rows;
  onProgress?.(`dropping ${keys.length} foreign keys`);
  for (const { table, name } of keys)
    await client.query(`ALTER TABLE ${table} DROP CONSTRAINT ${pg.escapeIdentifier(name)}`);
  for (const table of tables) {
    onProgress?.(`distributing ${table}`);
    await distributeTable(client, table, shards);
  }
  onProgress?.(`adding ${keys.length} foreign keys`);
  for (const { table, name, definition } of keys)
    await client.query(`ALTER TABLE ${table} ADD CONSTRAINT ${pg.escapeIdentifier(name)} ${definition}`);
};

/** The tables that a call has distributed. */
export interface Distribution {
  /** Tables whose rows are now on the worker of their organization. */
  readonly distributed: readonly string[];
  /** Tables of which every server now has a copy. */
  readonly copied: readonly string[];
}

/** Distributes the tables that are not distributed yet, within the transaction of the caller. */
export const distributeTables = async (
  client: pg.ClientBase,
  options: DistributeOptions = {},
): Promise<Distribution> => {
  const { rows } = await client.query<{ name: string }>(pendingSql, [copiedTables, firstTable]);
  const tables = rows.map(({ name }) => name);
  if (tables.length > 0) await moveTables(client, tables, options);
  return {
    distributed: tables.filter((name) => !copiedTables.includes(name)),
    copied: tables.filter((name) => copiedTables.includes(name)),
  };
};
