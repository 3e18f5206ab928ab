import pg from 'pg';
import { commandPoolWaitMs } from '../administration-database.js';
import { type Database, openDatabase, type Queries, type TenantStatement } from '../database.js';
import { listPage, parsePage } from './list-page.js';
import { type PageRequest, withLatestLabels } from './page-request.js';
import { type PartSteps, planPage } from './plan.js';

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
export interface ExplainedStatement extends StatementCost, Omit<ExplainedPlan, 'plan'> {
  readonly sql: string;
  /** The values of `$1`, `$2` and so on. */
  readonly values: readonly unknown[];
  readonly rows: number;
}

/** How a page was read. */
export interface ExplainedPage {
  /** The plan of each part of the page. */
  readonly plans: readonly PartSteps[];
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

/** The rows that a plan reads. A page that is one value is an aggregate of them. */
const readRowsOf = (plan: PlanNode): number =>
  (plan['Node Type'] === 'Aggregate' ? (plan.Plans?.[0] ?? plan) : plan)['Actual Rows'];

const literal = (value: unknown): string => {
  if (value === null || value === undefined) return 'NULL';
  if (typeof value === 'string') return pg.escapeLiteral(value);
  return pg.escapeLiteral(
    Array.isArray(value) ? `{${value.map((item) => JSON.stringify(item)).join(',')}}` : JSON.stringify(value),
  );
};

/** The cost of a statement as the read gateway runs it. */
export interface ExplainedPlan {
  readonly plan: PlanNode;
  readonly planningMs: number;
  readonly executionMs: number;
  /** Whether the gateway makes the plan once per connection, for all values. It plans very long statements in each request. */
  readonly isReused: boolean;
}

/**
 * Runs a statement once for its rows and once with `EXPLAIN (ANALYZE, BUFFERS)`, with the plan that its connection reuses.
 * @param database - a pool for reads
 */
export const explainStatement = (
  database: Database,
  organizationId: string,
  { text, values }: TenantStatement,
): Promise<ExplainedPlan> =>
  database.withConnectionOf(organizationId, async (connection) => {
    await connection.query(organizationId, { text, values });
    const { name } = await connection.queryServer<{ name: string | null }>(
      'SELECT (SELECT p.name FROM pg_prepared_statements p WHERE p.statement = $1) AS name',
      [text],
    );
    const explain = 'EXPLAIN (ANALYZE, BUFFERS, TIMING OFF, FORMAT JSON)';
    const bound = [organizationId, ...values];
    const row =
      name === null
        ? await connection.queryServer<ExplainRow>(`${explain} ${text}`, bound)
        : await connection.queryServer<ExplainRow>(
            `${explain} EXECUTE ${pg.escapeIdentifier(name)}(${bound.map(literal).join(', ')})`,
            [],
          );
    const [{ Plan: plan, ...times }] = row['QUERY PLAN'];
    const { 'Planning Time': planningMs, 'Execution Time': executionMs } = times;
    return { plan, planningMs, executionMs, isReused: name !== null };
  });

/** Opens a pool with one connection, which plans as the read gateway does, and waits for it as other commands do. */
export const openExplained = (url: string, statementTimeoutMs: number): Database => {
  const options = { url, applicationName: 'crm-explain', maxConnections: 1, poolWaitMs: commandPoolWaitMs };
  return openDatabase({ ...options, statementTimeoutMs, isForReads: true });
};

/** Reads a page as `listPage` does, and explains each of its statements. */
export const explainPage = async (
  { url }: Pick<Database, 'url'>,
  asked: PageRequest,
  statementTimeoutMs = 0,
): Promise<ExplainedPage> => {
  const database = openExplained(url, statementTimeoutMs);
  try {
    const request = await withLatestLabels(database, asked);
    const statements: ExplainedStatement[] = [];
    const query: Queries['query'] = async (organizationId, statement) => {
      const { plan, ...cost } = await explainStatement(database, organizationId, statement);
      statements.push({
        ...cost,
        sql: statement.text,
        values: [organizationId, ...statement.values],
        rows: readRowsOf(plan),
        ...planCost(plan),
      });
      return database.query(organizationId, statement);
    };
    const records = parsePage(await listPage({ query }, request));
    const plans = planPage(request).map(({ part, name, steps }) => ({ part, name, steps }));
    return { plans, statements, records: records.length };
  } finally {
    await database.close();
  }
};
