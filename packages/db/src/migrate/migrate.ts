import pg from 'pg';
import { type Migration, readMigrations, readSchema } from './migrations.js';
import { openSchemaEngine } from './schema-engine.js';

/** Any number will do, as long as every migrator takes the same. */
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
  /** Told the names of the migrations about to be applied. */
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
 * Lets a migration that failed be applied once it is mended. It left nothing, being one transaction; the engine cannot know
 * that and would refuse every further migration until an operator says so.
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

/**
 * Brings a database to the current schema with Prisma's own engine, which keeps its history in `_prisma_migrations`. Two
 * migrators at once wait for each other: the second then finds nothing to do.
 *
 * @param url - `postgres://…` of a role that may create tables
 * @returns the names of the migrations applied now, in order
 * @throws Error that names the migration which failed; nothing of it is left, and the ones before it stay
 */
export const migrate = async (url: string, options: MigrateOptions = {}): Promise<string[]> => {
  const migrations = options.migrations ?? (await readMigrations());
  const lock = new pg.Client({ connectionString: url, application_name: 'crm-migrate' });
  const pool = new pg.Pool({ connectionString: url, application_name: 'crm-migrate', max: 1 });
  pool.on('error', () => undefined);
  await lock.connect();
  try {
    await lock.query('SELECT pg_advisory_lock($1)', [migrationLock]);
    const pending = await pendingMigrations(lock, migrations);
    if (pending.length === 0) return [];
    options.onProgress?.(pending);
    await forgetFailures(lock);
    const engine = await openSchemaEngine(pool, await readSchema());
    const { appliedMigrationNames } = await engine.applyMigrations({
      migrationsList: migrationList(migrations),
      filters: noFilters,
    });
    // The engine is not believed on its word: an engine that does nothing also reports success.
    const left = await pendingMigrations(lock, migrations);
    if (left.length > 0) throw new Error(`These migrations were not applied: ${left.join(', ')}`);
    return appliedMigrationNames;
  } finally {
    await pool.end();
    await lock.end();
  }
};
