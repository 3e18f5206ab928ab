import type { Database } from '../database.js';
import { sessionLimitsMs } from '../session-limits.js';
import { delegatedFunctions, type PlanReuse, probePlanReuse } from './distribute-functions.js';

/** The settings of a worker for the role that is connected to the coordinator. */
export interface WorkerFacts {
  /** Such as `worker-1:5432`. */
  readonly name: string;
  /** Null if the coordinator could not query the worker. */
  readonly settings: Readonly<Record<string, string>> | null;
}

/** Properties of a distributed database that an operator should check. */
export interface DistributionFacts {
  readonly citus: PlanReuse;
  /** Tenant tables that are not colocated with `accounts`. */
  readonly apart: readonly string[];
  /** Functions that gateways call and that run on the coordinator instead of a worker. */
  readonly undelegated: readonly string[];
  /** Whether the planner delegates a call of `write` to a worker. */
  readonly isWriteDelegated: boolean;
  /** Whether the settings of a function that gateways call allow cached plans. They should only if Citus reuses plans. */
  readonly cachesPlans: boolean;
  readonly workers: readonly WorkerFacts[];
}

/**
 * Settings to check on the workers: time limits, and the settings on which the durability of writes depends. The coordinator sends no time
 * limits to the workers, so they must be set on the role.
 */
export const workerSettings = {
  limits: Object.keys(sessionLimitsMs),
  durability: ['fsync', 'synchronous_commit', 'full_page_writes'],
} as const;

/** The catalog tables of Citus exist only with the extension. */
const presenceSql = `SELECT EXISTS (SELECT FROM pg_extension WHERE extname = 'citus') AS "hasExtension"`;

const factsSql = `
  SELECT ARRAY(
           SELECT t.relname::text FROM pg_class t
             JOIN pg_constraint p ON p.conrelid = t.oid AND p.contype = 'p'
             JOIN pg_attribute a ON a.attrelid = t.oid AND a.attnum = p.conkey[1]
             LEFT JOIN pg_dist_partition d ON d.logicalrelid = t.oid
            WHERE t.relnamespace = 'public'::regnamespace AND t.relkind IN ('r', 'p') AND a.attname = 'organization_id'
              AND d.colocationid IS DISTINCT FROM (SELECT c.colocationid FROM pg_dist_partition c WHERE c.logicalrelid = 'accounts'::regclass)
            ORDER BY 1) AS apart,
         ARRAY(
           SELECT f.name FROM unnest($1::text[]) f (name)
            WHERE NOT EXISTS (SELECT FROM pg_proc p JOIN pg_dist_object d ON d.classid = 'pg_proc'::regclass AND d.objid = p.oid
                               WHERE p.proname = f.name AND p.pronamespace = 'public'::regnamespace AND d.distribution_argument_index = 0)
            ORDER BY 1) AS undelegated,
         EXISTS (SELECT FROM pg_proc p WHERE p.proname = ANY ($1) AND p.pronamespace = 'public'::regnamespace
           AND NOT coalesce(p.proconfig, '{}') @> ARRAY['plan_cache_mode=force_custom_plan']) AS "cachesPlans"`;

const settingNames = [...workerSettings.limits, ...workerSettings.durability].map((name) => `'${name}'`).join(', ');

const workersSql = `
  SELECT coalesce(jsonb_agg(jsonb_build_object('name', w.nodename || ':' || w.nodeport,
           'settings', CASE WHEN w.success THEN w.result::jsonb END) ORDER BY w.nodename, w.nodeport), '[]') AS workers
    FROM run_command_on_workers($1) w`;

const settingsSql = `SELECT jsonb_object_agg(name, setting) FROM pg_settings WHERE name IN (${settingNames})`;

/** Plans a call without running it. The plan of a delegated call is a Citus task; otherwise it is a function scan. */
const planSql = `EXPLAIN (FORMAT JSON) SELECT result FROM write('00000000-0000-0000-0000-000000000000', 'plan', '{}', NULL, NULL)`;

/** Reads from a coordinator how its database is distributed. Returns null for a database without Citus. */
export const inspectDistribution = (database: Database): Promise<DistributionFacts | null> =>
  database.withConnection(async (connection) => {
    const { hasExtension } = await connection.queryServer<{ hasExtension: boolean }>(presenceSql, []);
    if (!hasExtension) return null;
    const facts = await connection.queryServer<Pick<DistributionFacts, 'apart' | 'undelegated' | 'cachesPlans'>>(
      factsSql,
      [delegatedFunctions],
    );
    const plan = await connection.queryServer<object>(planSql, []);
    const citus = await probePlanReuse((text) => connection.queryServer(text, []));
    const { workers } = await connection.queryServer<Pick<DistributionFacts, 'workers'>>(workersSql, [settingsSql]);
    return { ...facts, citus, isWriteDelegated: JSON.stringify(plan).includes('Citus Adaptive'), workers };
  });
