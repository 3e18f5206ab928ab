import pg from 'pg';
import { type FunctionSources, type Migration, readFunctions, readMigrations, readSchema } from './migrations.js';
import { openSchemaEngine } from './schema-engine.js';

/** An arbitrary number that all migrators share. */
const migrationLock = 4_857_201;

/** No table is managed by others. */
export const noFilters = { externalTables: [], externalEnums: [] };

/** What the engine takes for a folder of migrations. */
export const migrationList = (migrations: readonly Migration[]) => ({
  baseDir: '/migrations',
  lockfile: { path: 'migration_lock.toml', content: 'provider = "postgresql"\n' },
  shadowDbInitScript: '',
  migrationDirectories: migrations.map(({ name, sql }) => ({
    path: name,
    migrationFile: { path: 'migration.sql', content: { tag: 'ok' as const, value: sql } },
  })),
});

/** How to migrate. */
export interface MigrateOptions {
  /** Receives the names of the migrations that are applied next; not called when there are none. */
  readonly onProgress?: (pending: readonly string[]) => void;
  /** The history to apply; the package's own when absent. */
  readonly migrations?: readonly Migration[];
}

const hasHistory = async (pool: pg.Pool | pg.Client): Promise<boolean> => {
  const { rows } = await pool.query<{ present: boolean }>(
    `SELECT to_regclass('_prisma_migrations') IS NOT NULL AS present`,
  );
  return rows[0]?.present === true;
};

/**
 * Lets a failed migration be applied again after it was fixed. A migration is one transaction, so a failed one left nothing. The
 * engine does not know that: it would refuse all further migrations until an operator resolves the failure.
 */
const forgetFailures = async (client: pg.Client): Promise<void> => {
  if (!(await hasHistory(client))) return;
  await client.query(
    'UPDATE _prisma_migrations SET rolled_back_at = now() WHERE finished_at IS NULL AND rolled_back_at IS NULL',
  );
};

/** The migrations that a database does not have yet, in order. */
export const pendingMigrations = async (
  pool: pg.Pool | pg.Client,
  migrations: readonly Migration[],
): Promise<string[]> => {
  if (!(await hasHistory(pool))) return migrations.map(({ name }) => name);
  const applied = await pool.query<{ migration_name: string }>(
    'SELECT migration_name FROM _prisma_migrations WHERE finished_at IS NOT NULL AND rolled_back_at IS NULL',
  );
  const names = new Set(applied.rows.map((row) => row.migration_name));
  return migrations.map(({ name }) => name).filter((name) => !names.has(name));
};

const hasFunctions = async (pool: pg.Pool | pg.Client, { digest }: FunctionSources): Promise<boolean> => {
  const table = await pool.query<{ present: boolean }>(
    `SELECT to_regclass('function_versions') IS NOT NULL AS present`,
  );
  if (table.rows[0]?.present !== true) return false;
  const { rowCount } = await pool.query('SELECT FROM function_versions WHERE digest = $1', [digest]);
  return rowCount === 1;
};

/** Installs the write functions in one transaction, unless a database has had this version of them. */
const installFunctions = async (client: pg.Client, functions: FunctionSources): Promise<boolean> => {
  if (await hasFunctions(client, functions)) return false;
  await client.query('BEGIN');
  try {
    await client.query(functions.sql);
    await client.query('INSERT INTO function_versions (digest) VALUES ($1)', [functions.digest]);
    await client.query('COMMIT');
  } catch (error) {
    await client.query('ROLLBACK');
    throw new Error(`The write functions could not be installed: ${String(error)}`, { cause: error });
  }
  return true;
};

/** What {@link pendingChanges} calls the write functions, beside the names of migrations. */
const functionsName = 'write functions';

/** What `crm migrate` of this version would do to a database: names of migrations, then `write functions`. */
export const pendingChanges = async (pool: pg.Pool | pg.Client): Promise<string[]> => {
  const pending = await pendingMigrations(pool, await readMigrations());
  return (await hasFunctions(pool, await readFunctions())) ? pending : [...pending, functionsName];
};

const applyMigrations = async (url: string, client: pg.Client, migrations: readonly Migration[]): Promise<string[]> => {
  const pool = new pg.Pool({ connectionString: url, application_name: 'crm-migrate', max: 1 });
  pool.on('error', () => undefined);
  try {
    await forgetFailures(client);
    const engine = await openSchemaEngine(pool, await readSchema());
    const { appliedMigrationNames } = await engine.applyMigrations({
      migrationsList: migrationList(migrations),
      filters: noFilters,
    });
    // The engine is not trusted: one that does nothing also reports success.
    const left = await pendingMigrations(client, migrations);
    if (left.length > 0) throw new Error(`These migrations were not applied: ${left.join(', ')}`);
    return appliedMigrationNames;
  } finally {
    await pool.end();
  }
};

/**
 * Brings a database to the current schema: applies the missing migrations with Prisma's own engine, which records them in
 * `_prisma_migrations`, then installs the write functions when their source has changed. Parallel migrators wait for each
 * other; the second one finds nothing to do.
 *
 * @param url - `postgres://…` of a role that may create tables
 * @returns what was done now, in order: names of migrations, then `write functions`
 * @throws Error that names the migration which failed; it leaves nothing behind, and the ones before it stay
 */
export const migrate = async (url: string, options: MigrateOptions = {}): Promise<string[]> => {
  const migrations = options.migrations ?? (await readMigrations());
  const client = new pg.Client({ connectionString: url, application_name: 'crm-migrate' });
  await client.connect();
  try {
    await client.query('SELECT pg_advisory_lock($1)', [migrationLock]);
    const pending = await pendingMigrations(client, migrations);
    if (pending.length > 0) options.onProgress?.(pending);
    const applied = pending.length === 0 ? [] : await applyMigrations(url, client, migrations);
    return (await installFunctions(client, await readFunctions())) ? [...applied, functionsName] : applied;
  } finally {
    await client.end();
  }
};
