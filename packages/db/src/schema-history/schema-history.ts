import type pg from 'pg';

/** A migration that some gateways cannot work with. */
export interface GatewayRequirement {
  readonly migration: string;
  /** The migration that a gateway must know to work with {@link migration}: itself or an earlier one. */
  readonly needs: string;
}

/** A version of the write functions that was installed in a database. */
export interface InstalledFunctions {
  /** SHA-256 of their source. */
  readonly digest: string;
  /** The version of the program that installed them, such as `1.2.0`. */
  readonly release: string;
}

/** The migrations and write functions that were installed in a database. */
export interface SchemaHistory {
  /** Migrations that were applied completely. */
  readonly appliedMigrations: readonly string[];
  /** All versions of the write functions that were ever installed, oldest first. The last one is installed now. */
  readonly installedFunctions: readonly InstalledFunctions[];
  /** Requirements of the applied migrations. */
  readonly requirements: readonly GatewayRequirement[];
}

/** The version of a program. */
export interface SchemaVersion {
  /** Its migrations, in order. */
  readonly migrations: readonly string[];
  /** SHA-256 digest of its write functions. */
  readonly functions: string;
  /** Such as `1.2.0`. */
  readonly release: string;
}

/** How a database differs from the version of a program. */
export interface SchemaDifference {
  /** Migrations of this version that the database lacks. */
  readonly missing: readonly string[];
  /** Whether the database has no newer write functions and never had those of this version. A gateway cannot work with such a database. */
  readonly lacksFunctions: boolean;
  /** Whether `crm migrate` installs the write functions of this version. */
  readonly installsFunctions: boolean;
  /** Migrations of newer versions. This version works with them unless {@link unmet} names one. */
  readonly newer: readonly string[];
  /** Newer migrations that this version cannot work with. */
  readonly unmet: readonly GatewayRequirement[];
}

/** The history of a database that was never migrated. */
export const emptyHistory: SchemaHistory = { appliedMigrations: [], installedFunctions: [], requirements: [] };

const presenceSql = `SELECT to_regclass('_prisma_migrations') IS NOT NULL AND to_regclass('gateway_requirements') IS NOT NULL AS "isPresent"`;

const historySql = `
  WITH applied AS (
    SELECT migration_name FROM _prisma_migrations WHERE finished_at IS NOT NULL AND rolled_back_at IS NULL)
  SELECT (SELECT coalesce(array_agg(migration_name), '{}') FROM applied) AS "appliedMigrations",
         (SELECT coalesce(jsonb_agg(jsonb_build_object('digest', f.digest, 'release', f.release) ORDER BY f.number), '[]')
            FROM function_versions f) AS "installedFunctions",
         (SELECT coalesce(jsonb_agg(to_jsonb(r) ORDER BY r.migration), '[]') FROM gateway_requirements r
           WHERE r.migration IN (SELECT migration_name FROM applied)) AS requirements`;

/** Runs a statement that returns one row. */
export type QueryRow = <Row extends object>(text: string) => Promise<Row>;

/** Creates a {@link QueryRow} for a client or a pool. */
export const queryRowOf =
  (client: pg.Pool | pg.ClientBase): QueryRow =>
  async <Row extends object>(text: string) => {
    const [row] = (await client.query<Row & pg.QueryResultRow>(text)).rows;
    if (row === undefined) throw new Error('The server returned no row');
    return row;
  };

/** Reads the history of a database. It is empty if nothing was migrated yet. */
export const readSchemaHistory = async (queryRow: QueryRow): Promise<SchemaHistory> => {
  const { isPresent } = await queryRow<{ isPresent: boolean }>(presenceSql);
  return isPresent ? queryRow<SchemaHistory>(historySql) : emptyHistory;
};

/** Whether the release `1.10.0` comes after `1.9.2`. */
const isLaterRelease = (release: string, than: string): boolean => {
  const [parts, others] = [release, than].map((text) => text.split('.').map(Number));
  const at = (parts ?? []).findIndex((part, index) => part !== others?.[index]);
  return at !== -1 && (parts?.[at] ?? 0) > (others?.[at] ?? 0);
};

/**
 * Compares a database with a version. A pure function. Newer write functions also serve older gateways, so an older `crm migrate` must not
 * replace them. Functions are newer if the database has newer migrations, or if a later release installed them. Within one release,
 * `crm migrate` installs its own functions whenever they differ from the last installed ones. So functions that were changed and then
 * changed back are installed again.
 */
export const compareSchema = (history: SchemaHistory, version: SchemaVersion): SchemaDifference => {
  const newer = history.appliedMigrations.filter((name) => !version.migrations.includes(name));
  const latest = history.installedFunctions.at(-1);
  const areNewer = latest !== undefined && (newer.length > 0 || isLaterRelease(latest.release, version.release));
  return {
    missing: version.migrations.filter((name) => !history.appliedMigrations.includes(name)),
    lacksFunctions: !areNewer && !history.installedFunctions.some(({ digest }) => digest === version.functions),
    installsFunctions: !areNewer && latest?.digest !== version.functions,
    newer,
    unmet: history.requirements.filter(({ needs }) => !version.migrations.includes(needs)),
  };
};

/** Describes unmet requirements: `0006_drop_labels needs a version with 0005_stage_labels`. */
export const describeUnmet = (unmet: readonly GatewayRequirement[]): string =>
  unmet.map(({ migration, needs }) => `${migration} needs a version with ${needs}`).join(', ');
