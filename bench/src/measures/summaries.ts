import { summarize, summaryRequestSteps, type TenantStatement } from '@crm/db';
import { ErrorCollector, runAtOnce } from '@crm/domain';
import { captureStatement } from '../contestants/bare-server.js';
import { type Gateway, send, withGateway } from '../contestants/gateways.js';
import { organizationLayout } from '../dataset/layout.js';
import { type Figure, median } from '../harness/figures.js';
import { runPgbench } from '../harness/programs.js';
import { compare } from '../harness/rounds.js';
import type { MeasureGroup } from '../harness/run.js';
import { type Subject, withSubject } from '../query-plans/measure-shape.js';

/** A summary of one pipeline, with the number and the sum of the amounts of each group. */
interface Summary {
  readonly what: string;
  readonly filters?: readonly object[];
  readonly groupBy: readonly string[];
}

const measures = ['count', 'sum:amount'];
const summaryKinds: readonly Summary[] = [
  { what: 'summary by stage, p50', groupBy: ['stage_id'] },
  {
    what: 'summary by owner and month under a filter for 10 %, p50',
    // Nine deals in ten have an amount, spread evenly up to 100,000.
    filters: [{ field: 'amount', operator: 'lt', value: 11_111 }],
    groupBy: ['owner_id', 'close_date:month'],
  },
];

/** The statement that the gateway runs for a summary. */
const statementOf = async ({ database, setup, organization }: Subject, summary: Summary): Promise<TenantStatement> => {
  const { filters, groupBy } = summary;
  const errors = new ErrorCollector();
  const pipelineId = organization.pipelineIds[0];
  const input = {
    objectType: 'opportunity',
    pipelineId,
    readWords: () => [],
    filters,
    groupBy,
    measures,
    limit: null,
  } as const;
  const request = runAtOnce(summaryRequestSteps(setup, input, errors));
  errors.throwIfAny();
  return (await captureStatement(database, (captured) => summarize(captured, request))).statement;
};

/** A statement with its values inserted, for a client that cannot bind values. */
const writtenOut = (organizationId: string, { text, values }: TenantStatement): string =>
  text.replaceAll(/\$(\d+)/g, (_placeholder, number: string) => {
    const value = [organizationId, ...values][Number(number) - 1];
    if (typeof value !== 'string' && typeof value !== 'number') throw new Error(`Cannot write ${String(value)} out`);
    return `'${String(value).replaceAll("'", "''")}'`;
  });

/** The median time of a response, with one request after the other. */
const medianOf = async (gateway: Gateway, body: string, seconds: number): Promise<number> => {
  const times: number[] = [];
  for (const endsAtMs = performance.now() + seconds * 1_000; performance.now() < endsAtMs;)
    times.push((await send(gateway, { path: '/v1/opportunities/summary', headers: gateway.headers, body })).ms);
  return median(times);
};

/** S16: summaries of a pipeline over HTTP, one request after the other, against the same statements in pgbench. */
export const summaries: MeasureGroup = {
  ids: ['S16'],
  measure: async (run) => {
    const [, size] = run.sizes;
    const { id, pipelineIds } = organizationLayout(1, size);
    const databaseUrl = await run.server.database(size);
    // The gateway's sessions use one parallel worker per statement, so pgbench must too.
    const url = `${databaseUrl}?options=${encodeURIComponent('-c max_parallel_workers_per_gather=1')}`;
    return withGateway('read-gateway', databaseUrl, id, async (gateway) => {
      const figures: Figure[] = [];
      for (const summary of summaryKinds) {
        const statement = await withSubject(databaseUrl, size, (subject) => statementOf(subject, summary));
        const { what, groupBy, filters } = summary;
        const body = JSON.stringify({ pipeline_id: pipelineIds[0], group_by: groupBy, measures, filters });
        const sql = [writtenOut(id, statement)];
        const [ours, theirs, ratio] = await compare(run, { id: 'S16', what, unit: 'ms', size, atMost: 1.3 }, [
          { name: 'gateway', run: (seconds) => medianOf(gateway, body, seconds) },
          {
            name: 'the same SQL in pgbench',
            run: async (seconds) => 1_000 / (await runPgbench({ databaseUrl: url, sql, seconds, connections: 1 })),
          },
        ]);
        figures.push({ ...ours, atMost: 300 }, theirs, ratio);
      }
      return figures;
    });
  },
};
