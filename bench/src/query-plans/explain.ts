import { type AdministrationDatabase, planCost, type PlanNode, type TenantStatement } from '@crm/db';
import type pg from 'pg';

/** The cost of one or more statements. */
export interface Cost {
  readonly statements: number;
  /** The pages of tables and indexes that were read, in memory or not. */
  readonly buffers: number;
  /** The tenant tables that were scanned sequentially. */
  readonly sequentialScans: readonly string[];
}

interface ExplainRow {
  readonly 'QUERY PLAN': readonly [{ readonly Plan: PlanNode }];
}

const literal = (client: pg.PoolClient, value: unknown): string => {
  if (value === null || value === undefined) return 'NULL';
  if (typeof value === 'string') return client.escapeLiteral(value);
  if (Array.isArray(value)) return client.escapeLiteral(`{${value.map((item) => JSON.stringify(item)).join(',')}}`);
  return JSON.stringify(value);
};

const explain = 'EXPLAIN (ANALYZE, BUFFERS, TIMING OFF, FORMAT JSON)';

/** Plans a statement with its values. A prepared statement is also planned without them, as PostgreSQL may do. */
const plansOf = async (client: pg.PoolClient, statement: TenantStatement, values: unknown[]): Promise<PlanNode[]> => {
  const own = await client.query<ExplainRow>(`${explain} ${statement.text}`, values);
  const rows = [...own.rows];
  if (statement.isPrepared === true) {
    await client.query(`PREPARE measured AS ${statement.text}; SET plan_cache_mode = force_generic_plan`);
    const parameters = values.map((value) => literal(client, value)).join(', ');
    rows.push(...(await client.query<ExplainRow>(`${explain} EXECUTE measured(${parameters})`)).rows);
    await client.query('DEALLOCATE measured; RESET plan_cache_mode');
  }
  return rows.map((row) => row['QUERY PLAN'][0].Plan);
};

const explainStatement = async (
  database: AdministrationDatabase,
  statement: TenantStatement,
  values: unknown[],
): Promise<PlanNode[]> => {
  const client = await database.pool.connect();
  try {
    return await plansOf(client, statement, values);
  } finally {
    client.release();
  }
};

/**
 * Runs `work` with a database that measures every statement before it runs it. If a statement has two plans, with and
 * without values, the more expensive one counts, because the server may choose either.
 */
export const measure = async <T>(
  database: AdministrationDatabase,
  work: (measured: AdministrationDatabase) => Promise<T>,
): Promise<{ readonly result: T; readonly cost: Cost }> => {
  let statements = 0;
  let buffers = 0;
  const scans = new Set<string>();
  const query: AdministrationDatabase['query'] = async (organizationId, statement) => {
    const costs = (await explainStatement(database, statement, [organizationId, ...statement.values])).map(planCost);
    statements += 1;
    buffers += Math.max(...costs.map((cost) => cost.buffers));
    for (const table of costs.flatMap((cost) => cost.sequentialScans)) scans.add(table);
    return database.query(organizationId, statement);
  };
  const result = await work({ ...database, query });
  return { result, cost: { statements, buffers, sequentialScans: [...scans] } };
};
