import type { Database } from '../database.js';
import { sessionLimitsMs } from '../session-limits.js';
import { delegatedFunctions } from './distribute-functions.js';

/** What a worker says about itself, under the role that asks the coordinator. */
export interface WorkerFacts {
  /** As `worker-1:5432`. */
  readonly name: string;
  /** Null when the coordinator could not ask it. */
  readonly settings: Readonly<Record<string, string>> | null;
}

/** What an operator should know of a distributed database. */
export interface DistributionFacts {
  /** Tables whose primary key starts with the organization and that are not distributed like `accounts`. */
  readonly apart: readonly string[];
  /** Functions that gateways call and that would run on the coordinator. */
  readonly undelegated: readonly string[];
  /** Whether a write runs on a worker: what the planner does with a call. */
  readonly isWriteDelegated: boolean;
  readonly workers: readonly WorkerFacts[];
}

/** Limits of the role on the workers, where a coordinator's session sends none of its own; and what an answered write relies on. */
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
            ORDER BY 1) AS undelegated`;

const settingNames = [...workerSettings.limits, ...workerSettings.durability].map((name) => `'${name}'`).join(', ');

const workersSql = `
  SELECT coalesce(jsonb_agg(jsonb_build_object('name', w.nodename || ':' || w.nodeport,
           'settings', CASE WHEN w.success THEN w.result::jsonb END) ORDER BY w.nodename, w.nodeport), '[]') AS workers
    FROM run_command_on_workers($1) w`;

const settingsSql = `SELECT jsonb_object_agg(name, setting) FROM pg_settings WHERE name IN (${settingNames})`;

/** Plans a call and runs nothing. A delegated one is a task of Citus, any other one a scan of the function here. */
const planSql = `EXPLAIN (FORMAT JSON) SELECT result FROM write('00000000-0000-0000-0000-000000000000', 'plan', '{}', NULL, NULL)`;

/** Asks a coordinator how its database is distributed; null for a database without Citus. */
export const inspectDistribution = (database: Database): Promise<DistributionFacts | null> =>
  database.withConnection(async (connection) => {
    const { hasExtension } = await connection.queryServer<{ hasExtension: boolean }>(presenceSql, []);
    if (!hasExtension) return null;
    const facts = await connection.queryServer<Pick<DistributionFacts, 'apart' | 'undelegated'>>(factsSql, [
      delegatedFunctions,
    ]);
    const plan = await connection.queryServer<object>(planSql, []);
    const { workers } = await connection.queryServer<Pick<DistributionFacts, 'workers'>>(workersSql, [settingsSql]);
    return { ...facts, isWriteDelegated: JSON.stringify(plan).includes('Citus Adaptive'), workers };
  });
