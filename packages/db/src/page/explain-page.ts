import pg from 'pg';
import type { AdministrationDatabase } from '../administration-database.js';
import type { Queries, TenantStatement } from '../database.js';
import { withMergedLists } from './filter/merge-lists.js';
import { withLatestLabels } from './latest-labels.js';
import { listPage } from './list-page.js';
import type { PageRequest } from './page-request.js';
import { type PartPlan, planPage } from './plan.js';

/** A node of a plan, as `EXPLAIN (ANALYZE, BUFFERS, FORMAT JSON)` prints it. */
export interface PlanNode {
  readonly 'Node Type': string;
  readonly 'Relation Name'?: string;
  /** 0 if the node was never executed. */
  readonly 'Actual Loops': number;
  readonly 'Actual Rows': number;
  readonly 'Shared Hit Blocks': number;
  readonly 'Shared Read Blocks': number;
  readonly Plans?: readonly PlanNode[];
}

interface ExplainRow extends Record<string, unknown> {
  readonly 'QUERY PLAN': readonly [
    { readonly Plan: PlanNode; readonly 'Planning Time': number; readonly 'Execution Time': number },
  ];
}

/** The cost of a statement. */
export interface StatementCost {
  /** Number of 8 KB pages of tables and indexes that were read, cached or not. */
  readonly buffers: number;
  /** Record tables that were read from end to end. */
  readonly sequentialScans: readonly string[];
}

/** An executed statement of a page. */
export interface ExplainedStatement extends StatementCost {
  readonly sql: string;
  /** The values of `$1`, `$2` and so on. */
  readonly values: readonly unknown[];
  readonly planningMs: number;
  readonly executionMs: number;
  readonly rows: number;
}

/** How a page was read. */
export interface ExplainedPage {
  /** The plan of each part of the page. */
  readonly plans: readonly PartPlan[];
  readonly statements: readonly ExplainedStatement[];
  readonly records: number;
}

/** Tables that grow with an organization's records. Setup tables have few rows, so a sequential scan of them is fine. */
const recordTables = new Set(['accounts', 'contacts', 'opportunities', 'opportunity_contacts', 'notes']);

const sequentialScansOf = (node: PlanNode): string[] => {
  const table = node['Relation Name'] ?? '';
  const isScan = node['Node Type'] === 'Seq Scan' && node['Actual Loops'] > 0 && recordTables.has(table);
  return [...(isScan ? [table] : []), ...(node.Plans ?? []).flatMap(sequentialScansOf)];
};

/** The cost of a statement, from the root node of its plan. */
export const planCost = (plan: PlanNode): StatementCost => ({
  buffers: plan['Shared Hit Blocks'] + plan['Shared Read Blocks'],
  sequentialScans: [...new Set(sequentialScansOf(plan))],
});

const literal = (value: unknown): string => {
  if (value === null || value === undefined) return 'NULL';
  if (typeof value === 'string') return pg.escapeLiteral(value);
  return pg.escapeLiteral(
    Array.isArray(value) ? `{${value.map((item) => JSON.stringify(item)).join(',')}}` : JSON.stringify(value),
  );
};

/**
 * Runs a statement with `EXPLAIN (ANALYZE, BUFFERS)`, prepared and with a plan for all values, as the read gateway runs it. The gateway
 * makes this plan once per connection.
 */
export const explainReused = async (
  { pool }: Pick<AdministrationDatabase, 'pool'>,
  organizationId: string,
  { text, values }: TenantStatement,
): Promise<ExplainRow['QUERY PLAN'][0]> => {
  const client = await pool.connect();
  try {
    await client.query(`SET plan_cache_mode = force_generic_plan; PREPARE explained AS ${text}`);
    const bound = [organizationId, ...values].map(literal).join(', ');
    const explained = await client.query<ExplainRow>(
      `EXPLAIN (ANALYZE, BUFFERS, TIMING OFF, FORMAT JSON) EXECUTE explained(${bound})`,
    );
    const [row] = explained.rows;
    if (row === undefined) throw new Error('EXPLAIN returned no plan');
    return row['QUERY PLAN'][0];
  } finally {
    await client.query('DEALLOCATE ALL; RESET plan_cache_mode');
    client.release();
  }
};

/** Reads a page as `listPage` does, and runs each statement twice: first to explain it, then for its rows. */
export const explainPage = async (database: AdministrationDatabase, asked: PageRequest): Promise<ExplainedPage> => {
  const request = withMergedLists(await withLatestLabels(database, asked));
  const statements: ExplainedStatement[] = [];
  const query: Queries['query'] = async (organizationId, statement) => {
    const { Plan: plan, ...times } = await explainReused(database, organizationId, statement);
    statements.push({
      sql: statement.text,
      values: [organizationId, ...statement.values],
      planningMs: times['Planning Time'],
      executionMs: times['Execution Time'],
      rows: plan['Actual Rows'],
      ...planCost(plan),
    });
    return database.query(organizationId, statement);
  };
  const { records } = await listPage({ query }, request);
  return { plans: planPage(request), statements, records: records.length };
};
