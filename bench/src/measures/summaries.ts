import { loadSetup, parseSummaryRequest, summarize, type TenantStatement } from '@crm/db';
import { ErrorCollector } from '@crm/domain';
import { captureStatement } from '../contestants/capture-statement.js';
import { type Gateway, startGateway } from '../contestants/gateways.js';
import { pageScope } from '../contestants/page.js';
import { runPgbench } from '../contestants/pgbench.js';
import { sequentialCaller } from '../contestants/sequential-caller.js';
import type { NewMeasure } from '../harness/results.js';
import { alternate, ratios } from '../harness/rounds.js';
import type { MeasureGroup, Run } from '../harness/run.js';
import { percentile } from '../harness/statistics.js';

/** A summary of one pipeline. */
interface Shape {
  readonly name: string;
  readonly filters?: readonly object[];
  readonly groupBy: readonly string[];
  readonly measures: readonly string[];
}

const shapes: readonly Shape[] = [
  { name: 'by stage', groupBy: ['stage_id'], measures: ['count', 'sum:amount'] },
  {
    name: 'by owner and month under a filter for 10 %',
    // Nine deals in ten have an amount, spread evenly up to 100,000.
    filters: [{ field: 'amount', operator: 'lt', value: 11_111 }],
    groupBy: ['owner_id', 'close_date:month'],
    measures: ['count', 'sum:amount'],
  },
];

const boundMs = 300;
const ratioBound = 1.3;

/** The statement that the gateway runs for a shape. */
const statementOf = async (databaseUrl: string, size: number, shape: Shape): Promise<TenantStatement> => {
  const { filters, groupBy, measures } = shape;
  const { organizationId, pipelineId } = pageScope(size);
  const { statement } = await captureStatement(databaseUrl, async (database) => {
    const errors = new ErrorCollector();
    const request = parseSummaryRequest(
      await loadSetup(database, organizationId),
      { objectType: 'opportunity', pipelineId, readWords: () => [], filters, groupBy, measures, limit: null },
      errors,
    );
    errors.throwIfAny();
    return (queries) => summarize(queries, request);
  });
  return statement;
};

/** A statement with its values inserted, for a client that cannot bind values. */
const writtenOut = (organizationId: string, { text, values }: TenantStatement): string =>
  text.replaceAll(/\$(\d+)/g, (_placeholder, number: string) => {
    const value = [organizationId, ...values][Number(number) - 1];
    if (typeof value !== 'string' && typeof value !== 'number') throw new Error(`Cannot write ${String(value)} out`);
    return `'${String(value).replaceAll("'", "''")}'`;
  });

/** The median time of a response, with one request after the other. */
const medianOf = async (gateway: Gateway, size: number, shape: Shape, seconds: number): Promise<number> => {
  const { groupBy: group_by, measures, filters } = shape;
  const body = JSON.stringify({ pipeline_id: pageScope(size).pipelineId, group_by, measures, filters });
  const caller = sequentialCaller(gateway);
  const times: number[] = [];
  for (const endsAtMs = performance.now() + seconds * 1_000; performance.now() < endsAtMs;)
    times.push(await caller.time('/v1/opportunities/summary', body));
  return percentile(times, 0.5);
};

const measureShape = async (run: Run, gateway: Gateway, databaseUrl: string, shape: Shape): Promise<NewMeasure[]> => {
  const [, size] = run.sizes;
  const statement = await statementOf(databaseUrl, size, shape);
  // The gateway's sessions use one parallel worker per statement, so pgbench must too.
  const url = `${databaseUrl}?options=${encodeURIComponent('-c max_parallel_workers_per_gather=1')}`;
  const sql = writtenOut(pageScope(size).organizationId, statement);
  const outcomes = await alternate(
    [
      { name: 'gateway', run: (seconds) => medianOf(gateway, size, shape, seconds) },
      {
        name: 'pgbench',
        run: async (seconds) =>
          1_000 / (await runPgbench({ databaseUrl: url, sql, seconds, connections: 1, threads: 1 })),
      },
    ],
    run,
  );
  const [ours = [], theirs = []] = [outcomes.get('gateway'), outcomes.get('pgbench')];
  const name = `summary ${shape.name}`;
  return [
    {
      ...{ id: 'S16', name: `${name}: p50 against the same SQL in pgbench`, values: ratios(ours, theirs), unit: '×' },
      ...{ target: { at: 'most', value: ratioBound }, size },
    },
    { id: 'S16', name: `${name}: p50`, values: ours, unit: 'ms', target: { at: 'most', value: boundMs }, size },
  ];
};

/** S16: summaries of a pipeline over HTTP, one request after the other, against the same statements in pgbench. */
export const summaries: MeasureGroup = {
  ids: ['S16'],
  measure: async (run) => {
    const [, size] = run.sizes;
    const databaseUrl = await run.server.database(size);
    const gateway = await startGateway('read-gateway', databaseUrl, pageScope(size).organizationId);
    try {
      run.log('Summaries');
      const measures: NewMeasure[] = [];
      for (const shape of shapes) measures.push(...(await measureShape(run, gateway, databaseUrl, shape)));
      return measures;
    } finally {
      await gateway.stop();
    }
  },
};
