import { setTimeout as sleep } from 'node:timers/promises';
import pg from 'pg';
import {
  compareSchema,
  describeUnmet,
  queryRowOf,
  readSchemaHistory,
  type SchemaDifference,
  type SchemaVersion,
} from '../schema-history/schema-history.js';
import { declareRequirements, findRequirements, storeRequirements } from './declare-requirements.js';
import { type FunctionSources, type Migration, readFunctions, readMigrations, readSchema } from './migrations.js';
import { openSchemaEngine } from './schema-engine.js';

/** An arbitrary number that all migrators share. */
const migrationLock = 4_857_201;

/**
 * A migration that waits for a lock makes all later statements on the table wait for it, too. A read may need four tables in turn
 * and ends after 5 s in all, so a migration gives up after half a second and tries again. A pg_dump holds its locks until it has
 * ended.
 */
const lockTimeoutMs = 500;
const lockAttempts = 60;
const betweenAttemptsMs = 1_000;

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
  /** Receives the names of newer versions' migrations; not called when there are none. */
  readonly onNewer?: (newer: readonly string[]) => void;
  /** The history to apply; the package's own when absent. */
  readonly migrations?: readonly Migration[];
  /** The write functions to install; the package's own when absent. */
  readonly functions?: FunctionSources;
}

const hasTable = async (client: pg.Client, name: string): Promise<boolean> =>
  (await queryRowOf(client)<{ oid: string | null }>(`SELECT to_regclass('${name}')::text AS oid`)).oid !== null;

/**
 * Lets a failed migration be applied again after it was fixed. A migration is one transaction, so a failed one left nothing. The
 * engine does not know that: it would refuse all further migrations until an operator resolves the failure.
 */
const forgetFailures = async (client: pg.Client): Promise<void> => {
  if (!(await hasTable(client, '_prisma_migrations'))) return;
  await client.query(
    'UPDATE _prisma_migrations SET rolled_back_at = now() WHERE finished_at IS NULL AND rolled_back_at IS NULL',
  );
};

/** Installs the write functions in one transaction. */
const installFunctions = async (client: pg.Client, functions: FunctionSources): Promise<void> => {
  await client.query('BEGIN');
  try {
    await client.query(functions.sql);
    await client.query('INSERT INTO function_versions (digest) VALUES ($1)', [functions.digest]);
    await client.query('COMMIT');
  } catch (error) {
    await client.query('ROLLBACK');
    throw new Error(`The write functions could not be installed: ${String(error)}`, { cause: error });
  }
};

/** What {@link migrate} calls the write functions, beside the names of migrations. */
const functionsName = 'write functions';

const readVersion = async (): Promise<SchemaVersion> => ({
  migrations: (await readMigrations()).map(({ name }) => name),
  functions: (await readFunctions()).digest,
});

/** What `crm migrate` of a version would do to a database: names of migrations, then `write functions`. */
const pendingChanges = ({ missing, lacksFunctions }: SchemaDifference): string[] =>
  lacksFunctions ? [...missing, functionsName] : [...missing];

/** How a database differs from the version of this program. */
export interface SchemaState extends Pick<SchemaDifference, 'newer' | 'unmet'> {
  /** What `crm migrate` would do: names of migrations, then `write functions`. */
  readonly pending: readonly string[];
}

/** Compares a database with the version of this program. */
export const inspectSchema = async (pool: pg.Pool): Promise<SchemaState> => {
  const difference = compareSchema(await readSchemaHistory(queryRowOf(pool)), await readVersion());
  return { pending: pendingChanges(difference), newer: difference.newer, unmet: difference.unmet };
};

const applyMigrations = async (url: string, client: pg.Client, migrations: readonly Migration[]): Promise<void> => {
  const pool = new pg.Pool({
    connectionString: url,
    application_name: 'crm-migrate',
    max: 1,
    lock_timeout: lockTimeoutMs,
  });
  pool.on('error', () => undefined);
  try {
    await forgetFailures(client);
    const engine = await openSchemaEngine(pool, await readSchema());
    await engine.applyMigrations({ migrationsList: migrationList(migrations), filters: noFilters });
    // The engine is not trusted: one that does nothing also reports success.
    const { appliedMigrations } = await readSchemaHistory(queryRowOf(client));
    const left = migrations.map(({ name }) => name).filter((name) => !appliedMigrations.includes(name));
    if (left.length > 0) throw new Error(`These migrations were not applied: ${left.join(', ')}`);
  } finally {
    await pool.end();
  }
};

/** The engine drops the SQLSTATE. On a server with messages in another language the first attempt is the only one. */
const isLockTimeout = (error: unknown): boolean => String(error).includes('due to lock timeout');

const applyBetweenLocks = async (...to: Parameters<typeof applyMigrations>): Promise<void> => {
  for (let attempt = 1; ; attempt += 1) {
    try {
      await applyMigrations(...to);
      return;
    } catch (error) {
      if (!isLockTimeout(error)) throw error;
      if (attempt === lockAttempts) {
        const advice =
          'Another session holds a lock on a table, such as pg_dump. Wait for its end, then run crm migrate again';
        throw new Error(`${advice}: ${String(error)}`, { cause: error });
      }
      await sleep(betweenAttemptsMs);
    }
  }
};

/** Applies what is missing, with the requirements that it declares. */
const applyMissing = async (
  url: string,
  client: pg.Client,
  migrations: readonly Migration[],
  missing: readonly string[],
): Promise<void> => {
  const requirements = findRequirements(migrations).filter(({ migration }) => missing.includes(migration));
  const isNewDatabase = !(await hasTable(client, 'gateway_requirements'));
  if (!isNewDatabase) await declareRequirements(client, requirements);
  await applyBetweenLocks(url, client, migrations);
  if (isNewDatabase) await storeRequirements(client, requirements);
};

/**
 * Brings a database to the current schema: applies the missing migrations with Prisma's own engine, which records them in
 * `_prisma_migrations`, then installs the write functions when their source has changed. A database with newer migrations keeps
 * its write functions. Parallel migrators wait for each other; the second one finds nothing to do.
 *
 * @param url - `postgres://…` of a role that may create tables
 * @returns what was done now, in order: names of migrations, then `write functions`
 * @throws Error that names the migration which failed; it leaves nothing behind, and the ones before it stay. Also when a
 * migration would break gateways that are connected, or the database is too new for this version; nothing was changed
 */
export const migrate = async (url: string, options: MigrateOptions = {}): Promise<string[]> => {
  const migrations = options.migrations ?? (await readMigrations());
  const functions = options.functions ?? (await readFunctions());
  const version = { migrations: migrations.map(({ name }) => name), functions: functions.digest };
  const client = new pg.Client({ connectionString: url, application_name: 'crm-migrate' });
  // Without a listener a server that goes away would end the process; the statement in work fails, too.
  client.on('error', () => undefined);
  await client.connect();
  try {
    await client.query('SELECT pg_advisory_lock($1)', [migrationLock]);
    const difference = compareSchema(await readSchemaHistory(queryRowOf(client)), version);
    const { missing, newer, unmet } = difference;
    if (unmet.length > 0) throw new Error(`This version is too old for the database: ${describeUnmet(unmet)}`);
    if (newer.length > 0) options.onNewer?.(newer);
    if (missing.length > 0) {
      options.onProgress?.(missing);
      await applyMissing(url, client, migrations, missing);
    }
    if (difference.lacksFunctions) await installFunctions(client, functions);
    return pendingChanges(difference);
  } finally {
    await client.end();
  }
};
