import {
  type AdministrationDatabase,
  explainStatement,
  openExplained,
  planCost,
  type PlanNode,
  type TenantStatement,
} from '@crm/db';

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

/** The cost of a statement with a plan that is made for its values. */
const ownCost = async (database: AdministrationDatabase, statement: TenantStatement, values: unknown[]) => {
  const explain = 'EXPLAIN (ANALYZE, BUFFERS, TIMING OFF, FORMAT JSON)';
  const { rows } = await database.pool.query<ExplainRow>(`${explain} ${statement.text}`, values);
  const [row] = rows;
  if (row === undefined) throw new Error('EXPLAIN returned no plan');
  return planCost(row['QUERY PLAN'][0].Plan);
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
  const reading = openExplained(database.url, 0);
  const query: AdministrationDatabase['query'] = async (organizationId, statement) => {
    const cost = planCost((await explainStatement(reading, organizationId, statement)).plan);
    statements += 1;
    buffers += cost.buffers;
    ownBuffers += (await ownCost(database, statement, [organizationId, ...statement.values])).buffers;
    for (const table of cost.sequentialScans) scans.add(table);
    return database.query(organizationId, statement);
  };
  try {
    const result = await work({ ...database, query });
    return { result, cost: { statements, buffers, ownBuffers, sequentialScans: [...scans] } };
  } finally {
    await reading.close();
  }
};
