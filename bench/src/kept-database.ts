import { migrate, readMigrations } from '@crm/db';
import type pg from 'pg';

/**
 * Everything about tables that rows depend on, as one digest: columns, indexes and constraints. Not the order of columns, which
 * tells how the tables came to be.
 */
const tablesSql = `
  SELECT md5(string_agg(item, E'\\n' ORDER BY item COLLATE "C")) AS digest FROM (
    SELECT concat_ws(' ', c.relname, a.attname, format_type(a.atttypid, a.atttypmod), a.attnotnull, a.attcollation::regcollation) AS item
      FROM pg_attribute a JOIN pg_class c ON c.oid = a.attrelid
     WHERE c.relnamespace = 'public'::regnamespace AND c.relkind = 'r' AND a.attnum > 0 AND NOT a.attisdropped
    UNION ALL
    SELECT pg_get_indexdef(i.indexrelid) FROM pg_index i JOIN pg_class c ON c.oid = i.indexrelid
     WHERE c.relnamespace = 'public'::regnamespace
    UNION ALL
    SELECT concat_ws(' ', conrelid::regclass, conname, pg_get_constraintdef(oid)) FROM pg_constraint
     WHERE connamespace = 'public'::regnamespace AND conrelid <> 0) AS items`;

/** Functions of our own, not those of extensions. */
const functionsSql = `
  SELECT p.oid::regprocedure::text AS signature, pg_get_functiondef(p.oid) AS definition FROM pg_proc p
   WHERE p.pronamespace = 'public'::regnamespace
     AND NOT EXISTS (SELECT FROM pg_depend d WHERE d.classid = 'pg_proc'::regclass AND d.objid = p.oid AND d.deptype = 'e')`;

interface FunctionRow {
  readonly signature: string;
  readonly definition: string;
}

const digestOf = async (client: pg.Client): Promise<string | undefined> =>
  (await client.query<{ digest: string }>(tablesSql)).rows[0]?.digest;

/**
 * Brings functions, and what the history says of them, up to date, where the tables are the same. Rows do not depend on functions,
 * which therefore are no reason to make them anew.
 */
const renewFunctions = async (kept: pg.Client, empty: pg.Client): Promise<boolean> => {
  if ((await digestOf(kept)) !== (await digestOf(empty))) return false;
  const current = (await empty.query<FunctionRow>(functionsSql)).rows;
  const old = (await kept.query<FunctionRow>(functionsSql)).rows;
  const history = await empty.query<{ rows: unknown }>(`SELECT json_agg(m) AS rows FROM _prisma_migrations m`);
  await kept.query('BEGIN; SET LOCAL check_function_bodies = off');
  for (const { signature } of old)
    if (!current.some((row) => row.signature === signature)) await kept.query(`DROP FUNCTION ${signature}`);
  for (const { definition } of current) await kept.query(definition);
  await kept.query('DELETE FROM _prisma_migrations');
  await kept.query(
    'INSERT INTO _prisma_migrations SELECT * FROM json_populate_recordset(NULL::_prisma_migrations, $1)',
    [JSON.stringify(history.rows[0]?.rows)],
  );
  await kept.query('COMMIT');
  return true;
};

/** A database, by address and by connection. */
export interface Connected {
  readonly url: string;
  readonly client: pg.Client;
}

/**
 * Brings a database that was kept to the current schema: functions are replaced, and new migrations applied.
 * @param empty - an empty database, which is needed to compare with
 * @returns false where a migration that it has now makes other tables; then nothing was changed
 */
export const renewDatabase = async (kept: Connected, empty: Connected): Promise<boolean> => {
  const applied = await kept.client.query<{ name: string }>('SELECT migration_name AS name FROM _prisma_migrations');
  const names = new Set(applied.rows.map(({ name }) => name));
  const common = (await readMigrations()).filter(({ name }) => names.has(name));
  if (common.length !== names.size) return false;
  await migrate(empty.url, { migrations: common });
  if (!(await renewFunctions(kept.client, empty.client))) return false;
  await migrate(kept.url);
  return true;
};
