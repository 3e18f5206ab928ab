import type pg from 'pg';
import type { FunctionSources } from '../migrate/migrations.js';

/**
 * The functions that gateways call for one organization. Citus runs each call on the worker with the organization's rows, so its
 * statements need no network, and all locks of an organization are on one server.
 */
export const delegatedFunctions: readonly string[] = [
  'write',
  'change_setup',
  'end_rebuild',
  'delete_expired_results',
  'expire_events',
  'opportunity_ids_of_owner',
  'opportunity_ids_of_stage',
  'refresh_opportunity_records',
];

/** Whether a database's tables are distributed. */
export const isDistributed = async (client: pg.ClientBase): Promise<boolean> => {
  const { rows } = await client.query<{ exists: boolean }>(
    "SELECT EXISTS (SELECT FROM pg_extension WHERE extname = 'citus') AS exists",
  );
  if (rows[0]?.exists !== true) return false;
  const found = await client.query(
    "SELECT FROM pg_dist_partition WHERE logicalrelid = to_regclass('accounts') AND partmethod = 'h'",
  );
  return found.rowCount === 1;
};

/** Splits the SQL source into statements, because Citus sends each to the workers. A function body ends with `$$;` on its own line. */
const statementsOf = (sql: string): string[] =>
  sql
    .split(/(?<=^\$\$;$)/m)
    .flatMap((part) => {
      const at = part.search(/^CREATE OR REPLACE FUNCTION /m);
      return at <= 0 ? [part] : [part.slice(0, at), part.slice(at)];
    })
    .filter((part) => part.replace(/^--.*$/gm, '').trim() !== '');

const signaturesSql = `
  SELECT p.oid::regprocedure::text AS signature
    FROM pg_proc p WHERE p.pronamespace = 'public'::regnamespace AND p.proname = ANY ($1) ORDER BY p.oid`;

/** The identity of a database's log without its timeline; see the function `log_id`. */
const logSql = `
  SELECT concat_ws('-', to_hex(c.system_identifier), d.oid, 'event_heads'::regclass::oid) AS log FROM pg_control_system() c, pg_database d WHERE d.datname = current_database()`;

/**
 * The functions `log_id` and `store_timeline` of a distributed database. A worker reads each page of events, and functions that it runs
 * may not read other tables. So `log_id` contains the identity of the coordinator as a constant. It stays the same when an organization
 * moves to another worker. The timeline is that of the worker. `store_timeline` does nothing, because only replicas need stored timelines.
 */
const logFunctions = (log: string): string[] => [
  `CREATE OR REPLACE FUNCTION store_timeline() RETURNS void LANGUAGE plpgsql VOLATILE AS $$
BEGIN
END
$$`,
  `CREATE OR REPLACE FUNCTION log_id() RETURNS text LANGUAGE plpgsql VOLATILE AS $$
BEGIN
  RETURN '${log}-' || CASE WHEN pg_is_in_recovery() THEN (SELECT c.timeline_id FROM pg_control_checkpoint() c) ELSE current_timeline() END;
END
$$`,
];

/**
 * The versions of Citus that were tested and reuse the plan of a statement on one table. Citus 13.2.2 does not: each execution caches a
 * new plan that is never used again, and the memory of the session grows by 80 KB (https://github.com/citusdata/citus/pull/8371).
 */
const versionsThatReusePlans: readonly string[] = ['13.2.0'];

/** The version of Citus, such as `13.2.0`, and whether it is one of {@link versionsThatReusePlans}. */
export interface CitusVersion {
  readonly version: string;
  readonly reusesPlans: boolean;
}

const versionSql = `SELECT substring(citus_version() FROM 'Citus (\\S+)') AS version`;

/** Reads the version of Citus. @param query - runs a statement on a coordinator and returns its row */
export const readCitusVersion = async (
  query: (text: string) => Promise<{ readonly version: string } | undefined>,
): Promise<CitusVersion> => {
  const version = (await query(versionSql))?.version ?? 'unknown';
  return { version, reusesPlans: versionsThatReusePlans.includes(version) };
};

/**
 * Installs the write functions on all workers of a distributed database, and delegates the functions that gateways call to the worker
 * with the rows. Replaces their setting `plan_cache_mode = force_generic_plan`, because Citus cannot make a generic plan of a statement on
 * several tables.
 */
export const distributeFunctions = async (client: pg.ClientBase, { sql }: FunctionSources): Promise<void> => {
  for (const statement of statementsOf(sql)) await client.query(statement);
  const [named] = (await client.query<{ log: string }>(logSql)).rows;
  if (named === undefined) throw new Error('The server returned no identity of its log');
  for (const statement of logFunctions(named.log)) await client.query(statement);
  const { reusesPlans } = await readCitusVersion(
    async (text) => (await client.query<{ version: string }>(text)).rows[0],
  );
  const planSetting = reusesPlans ? 'auto' : 'force_custom_plan';
  const { rows } = await client.query<{ signature: string }>(signaturesSql, [delegatedFunctions]);
  for (const { signature } of rows) {
    await client.query(
      "SELECT create_distributed_function($1::regprocedure, 'p_organization_id', colocate_with => 'accounts')",
      [signature],
    );
    await client.query(`ALTER FUNCTION ${signature} SET plan_cache_mode = ${planSetting}`);
  }
};
