import { type AdministrationDatabase, planCost, type PlanNode, type TenantStatement } from '@crm/db';
import type pg from 'pg';

/** The cost of one or more statements. */
export interface Cost {
  readonly statements: number;
  /** The pages of tables and indexes that were read, in memory or not. */
  readonly buffers: number;
  /** The same with plans that are made for the values. */
  readonly ownBuffers: number;
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

/** The plan of a statement that a gateway reuses, and one that is made for the values. */
interface Plans {
  readonly reused: PlanNode;
  readonly own: PlanNode;
}

const plansOf = async (client: pg.PoolClient, statement: TenantStatement, values: unknown[]): Promise<Plans> => {
  const planOf = async (text: string, bound: unknown[]): Promise<PlanNode> => {
    const [row] = (await client.query<ExplainRow>(`${explain} ${text}`, bound)).rows;
    if (row === undefined) throw new Error('EXPLAIN returned no plan');
    return row['QUERY PLAN'][0].Plan;
  };
  const own = await planOf(statement.text, values);
  await client.query(`PREPARE measured AS ${statement.text}; SET plan_cache_mode = force_generic_plan`);
  const reused = await planOf(`EXECUTE measured(${values.map((value) => literal(client, value)).join(', ')})`, []);
  await client.query('DEALLOCATE measured; RESET plan_cache_mode');
  return { reused, own };
};

const explainStatement = async (
  database: AdministrationDatabase,
  statement: TenantStatement,
  values: unknown[],
): Promise<Plans> => {
  const client = await database.pool.connect();
  try {
    return await plansOf(client, statement, values);
  } finally {
    client.release();
  }
};

/**
 * Runs `work` with a database that measures every statement before it runs it.
 */
export const measure = async <T>(
  database: AdministrationDatabase,
  work: (measured: AdministrationDatabase) => Promise<T>,
): Promise<{ readonly result: T; readonly cost: Cost }> => {
  let statements = 0;
  let buffers = 0;
  let ownBuffers = 0;
  const scans = new Set<string>();
  const query: AdministrationDatabase['query'] = async (organizationId, statement) => {
    const { reused, own } = await explainStatement(database, statement, [organizationId, ...statement.values]);
    const cost = planCost(reused);
    statements += 1;
    buffers += cost.buffers;
    ownBuffers += planCost(own).buffers;
    for (const table of cost.sequentialScans) scans.add(table);
    return database.query(organizationId, statement);
  };
  const result = await work({ ...database, query });
  return { result, cost: { statements, buffers, ownBuffers, sequentialScans: [...scans] } };
};
