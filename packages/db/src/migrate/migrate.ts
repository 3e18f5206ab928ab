import type pg from 'pg';
import { createClient } from '../connection/create-client.js';
import type { Database } from '../database.js';
import { distributeFunctions, isDistributed, reusePlans } from '../distribution/distribute-functions.js';
import { distributeTables, inSequenceSql } from '../distribution/distribute-tables.js';
import {
  compareSchema,
  describeUnmet,
  queryRowOf,
  readSchemaHistory,
  type SchemaDifference,
  type SchemaVersion,
} from '../schema-history/schema-history.js';
import { refuseOtherEncodings } from '../schema-history/database-encoding.js';
import { applyMigration, prepareHistory, refuseEditedMigrations } from './apply-migration.js';
import { dropChangedFunctions } from './drop-changed-functions.js';
import { declareRequirements, findRequirements, storeRequirements } from './declare-requirements.js';
import { type FunctionSources, type Migration, readFunctions, readMigrations } from './migrations.js';

/** The advisory lock that Prisma's commands use too, so that none of them migrates at the same time. */
const migrationLock = 72_707_369;

/** Options of {@link migrate}. */
export interface MigrateOptions {
  /** Receives the names of the migrations that are applied next. Not called if there are none. */
  readonly onProgress?: (pending: readonly string[]) => void;
  /** Receives the names of applied migrations that only newer versions have. Not called if there are none. */
  readonly onNewer?: (newer: readonly string[]) => void;
  /** The migrations to apply. By default those of this package. */
  readonly migrations?: readonly Migration[];
  /** The write functions to install. By default those of this package. */
  readonly functions?: FunctionSources;
}

const hasTable = async (client: pg.Client, name: string): Promise<boolean> =>
  (await queryRowOf(client)<{ oid: string | null }>(`SELECT to_regclass('${name}')::text AS oid`)).oid !== null;

/** Installs the write functions in one transaction. In a distributed database: on all servers, after distributing new tables. */
const installFunctions = async (client: pg.Client, functions: FunctionSources): Promise<void> => {
  const isOnCitus = await isDistributed(client);
  await client.query('BEGIN');
  try {
    if (isOnCitus) {
      await client.query(inSequenceSql);
      await distributeTables(client);
    }
    const { rowCount } = await client.query('SELECT FROM function_versions LIMIT 1');
    if (rowCount === 1) await dropChangedFunctions(client, functions);
    await (isOnCitus ? distributeFunctions(client, functions) : client.query(functions.sql));
    await client.query(
      'INSERT INTO function_versions (number, digest, release) SELECT coalesce(max(number), 0) + 1, $1, $2 FROM function_versions',
      [functions.digest, functions.release],
    );
    await client.query('COMMIT');
  } catch (error) {
    await client.query('ROLLBACK');
    throw new Error(`The write functions could not be installed: ${String(error)}`, { cause: error });
  }
  if (isOnCitus) await reusePlans(client);
};

/** The name of the write functions in the results of {@link migrate}. */
const functionsName = 'write functions';

/** The version of the write functions. */
const versionOf = ({ digest, release }: FunctionSources) => ({ functions: digest, release });

/** The version of this program. */
export const readVersion = async (): Promise<SchemaVersion> => ({
  migrations: (await readMigrations()).map(({ name }) => name),
  ...versionOf(await readFunctions()),
});

/** The changes that `crm migrate` would make: names of migrations, then `write functions`. */
export const pendingChanges = ({ missing, installsFunctions }: SchemaDifference): string[] =>
  installsFunctions ? [...missing, functionsName] : [...missing];

/** How a database differs from the version of this program. */
export interface SchemaState extends Pick<SchemaDifference, 'newer' | 'unmet'> {
  /** The changes that `crm migrate` would make: names of migrations, then `write functions`. */
  readonly pending: readonly string[];
}

/** Compares a database with the version of this program. */
export const inspectSchema = async (database: Database): Promise<SchemaState> => {
  const history = await database.withConnection((connection) =>
    readSchemaHistory((text) => connection.queryServer(text, [])),
  );
  const difference = compareSchema(history, await readVersion());
  return { pending: pendingChanges(difference), newer: difference.newer, unmet: difference.unmet };
};

/** Applies the missing migrations and stores their requirements. */
const applyMissing = async (
  client: pg.Client,
  migrations: readonly Migration[],
  missing: readonly string[],
): Promise<void> => {
  const requirements = findRequirements(migrations).filter(({ migration }) => missing.includes(migration));
  const isNewDatabase = !(await hasTable(client, 'gateway_requirements'));
  if (!isNewDatabase) await declareRequirements(client, requirements);
  await prepareHistory(client);
  for (const migration of migrations.filter(({ name }) => missing.includes(name)))
    await applyMigration(client, migration);
  if (isNewDatabase) await storeRequirements(client, requirements);
};

/**
 * Migrates a database to the current schema. It applies the missing migrations and records them in Prisma's table `_prisma_migrations`.
 * Then it installs the write functions if they differ from the installed ones. A database with newer migrations or functions keeps its
 * write functions. Parallel calls wait for each other, and the second one finds nothing to do.
 *
 * @param url - `postgres://…` of a role that may create tables
 * @returns the changes made by this call, in order: names of migrations, then `write functions`
 * @throws Error that names a failed migration, which was rolled back; migrations before it stay applied
 * @throws Error if the database has another encoding than UTF8; then nothing was changed
 * @throws Error if a migration would break a connected gateway, an applied migration was edited, or the database is too new for this
 * version; then nothing was changed
 */
export const migrate = async (url: string, options: MigrateOptions = {}): Promise<string[]> => {
  const migrations = options.migrations ?? (await readMigrations());
  const functions = options.functions ?? (await readFunctions());
  const version = { migrations: migrations.map(({ name }) => name), ...versionOf(functions) };
  const client = createClient(url, 'crm-migrate');
  // Without a listener, a lost connection would end the process. The running statement fails too, so the error is not lost.
  client.on('error', () => undefined);
  await client.connect();
  try {
    await refuseOtherEncodings(client);
    await client.query('SELECT pg_advisory_lock($1)', [migrationLock]);
    const difference = compareSchema(await readSchemaHistory(queryRowOf(client)), version);
    const { missing, newer, unmet } = difference;
    if (unmet.length > 0) throw new Error(`This version is too old for the database: ${describeUnmet(unmet)}`);
    if (await hasTable(client, '_prisma_migrations')) await refuseEditedMigrations(client, migrations);
    if (newer.length > 0) options.onNewer?.(newer);
    if (missing.length > 0) {
      options.onProgress?.(missing);
      await applyMissing(client, migrations, missing);
    }
    if (difference.installsFunctions) await installFunctions(client, functions);
    return pendingChanges(difference);
  } finally {
    await client.end();
  }
};
