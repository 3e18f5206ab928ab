import type pg from 'pg';
import type { FunctionSources } from '../migrate/migrations.js';

/**
 * The functions that gateways call for one organization. Citus runs each call on the worker with the organization's rows, so its
 * statements need no network, and all locks of an organization are on one server.
 */
export const delegatedFunctions: readonly string[] = [
  'write',
  'change_setup',
  'claim_rebuild',
  'rebuild_records',
  'end_rebuild',
  'change_webhook',
  'claim_webhook',
  'save_deliveries',
  'skip_deliveries',
  'find_stored_result',
  'delete_expired_results',
  'expire_events',
  'opportunity_ids_of_owner',
  'opportunity_ids_of_stage',
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

/** Measures on a worker whether Citus reuses plans. */
const probeFunction = 'plan_memory';

/** How many lookups the probe makes, and the most bytes by which they may add to the session. Without reuse, they add 25 MB. */
const probedLookups = 200;
const mostGrowth = 2_000_000;

/**
 * The version of Citus, such as `14.0.1`, and whether it reuses the plan of a statement on one table. Some versions do not: each execution
 * caches a new plan that is never used again (https://github.com/citusdata/citus/pull/8371).
 */
export interface PlanReuse {
  readonly version: string;
  readonly reusesPlans: boolean;
}

const probeSql = `
  SELECT substring(citus_version() FROM 'Citus (\\S+)') AS version, growth::float8 AS growth
    FROM ${probeFunction}('00000000-0000-0000-0000-000000000000', ${probedLookups}) growth`;

/** Runs lookups on a worker. @param query - runs a statement outside of a transaction on a coordinator and returns its row */
export const probePlanReuse = async (
  query: (text: string) => Promise<{ readonly version: string; readonly growth: number } | undefined>,
): Promise<PlanReuse> => {
  const { version = 'unknown', growth = mostGrowth } = (await query(probeSql)) ?? {};
  return { version, reusesPlans: growth < mostGrowth };
};

const delegatedSignatures = async (client: pg.ClientBase, names: readonly string[]): Promise<readonly string[]> =>
  (await client.query<{ signature: string }>(signaturesSql, [names])).rows.map(({ signature }) => signature);

/**
 * Lets the functions that gateways call cache their plans, if this version of Citus reuses them. Called after the transaction of
 * {@link distributeFunctions}, because Citus delegates no call inside a transaction.
 */
export const reusePlans = async (client: pg.ClientBase): Promise<PlanReuse> => {
  const found = await probePlanReuse(
    async (text) => (await client.query<{ version: string; growth: number }>(text)).rows[0],
  );
  if (found.reusesPlans) {
    for (const signature of await delegatedSignatures(client, delegatedFunctions))
      await client.query(`ALTER FUNCTION ${signature} SET plan_cache_mode = auto`);
  }
  return found;
};

/**
 * Installs the write functions on all workers of a distributed database, and delegates the functions that gateways call to the worker
 * with the rows. Replaces their setting `plan_cache_mode = force_generic_plan`, because Citus cannot make a generic plan of a statement on
 * several tables. {@link reusePlans} may replace it again.
 */
export const distributeFunctions = async (client: pg.ClientBase, { sql }: FunctionSources): Promise<void> => {
  for (const statement of statementsOf(sql)) await client.query(statement);
  const [named] = (await client.query<{ log: string }>(logSql)).rows;
  if (named === undefined) throw new Error('The server returned no identity of its log');
  for (const statement of logFunctions(named.log)) await client.query(statement);
  for (const signature of await delegatedSignatures(client, [...delegatedFunctions, probeFunction])) {
    await client.query(
      "SELECT create_distributed_function($1::regprocedure, 'p_organization_id', colocate_with => 'accounts')",
      [signature],
    );
  }
  for (const signature of await delegatedSignatures(client, delegatedFunctions))
    await client.query(`ALTER FUNCTION ${signature} SET plan_cache_mode = force_custom_plan`);
};
