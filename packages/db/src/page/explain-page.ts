import type { Queries } from '../database.js';
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

/**
 * Reads a page as `listPage` does, and runs each statement twice: first with `EXPLAIN (ANALYZE, BUFFERS)`, then for its rows.
 * Here, every statement is planned for its values. The gateway reuses cached plans for prepared statements, so it saves that planning time.
 */
export const explainPage = async (database: Queries, asked: PageRequest): Promise<ExplainedPage> => {
  const request = withMergedLists(await withLatestLabels(database, asked));
  const statements: ExplainedStatement[] = [];
  const query: Queries['query'] = async (organizationId, statement) => {
    const text = `EXPLAIN (ANALYZE, BUFFERS, FORMAT JSON) ${statement.text}`;
    const [row] = await database.query<ExplainRow>(organizationId, { text, values: statement.values });
    if (row === undefined) throw new Error('EXPLAIN returned no plan');
    const [{ Plan: plan, ...times }] = row['QUERY PLAN'];
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
