import { send, withGateway } from '../contestants/gateways.js';
import { organizationLayout } from '../dataset/layout.js';
import { type Figure, median } from '../harness/figures.js';
import { alternate } from '../harness/rounds.js';
import type { MeasureGroup } from '../harness/run.js';

/** Summaries of one pipeline, with the number and the sum of the amounts of each group. */
const summaryKinds = [
  { name: 'summary by stage, p50', groupBy: ['stage_id'] },
  {
    name: 'summary by owner and month under a filter for 10 %, p50',
    // Nine deals in ten have an amount, spread evenly up to 100,000.
    filters: [{ field: 'amount', operator: 'lt', value: 11_111 }],
    groupBy: ['owner_id', 'close_date:month'],
  },
];

/** S16: summaries of a pipeline over HTTP, one request after the other. */
export const summaries: MeasureGroup = {
  ids: ['S16'],
  measure: async (run) => {
    const [, size] = run.sizes;
    const { id, pipelineIds } = organizationLayout(1, size);
    return withGateway('read-gateway', await run.server.database(size), id, async (gateway) => {
      const medianOf = async (body: string, seconds: number): Promise<number> => {
        const times: number[] = [];
        for (const endsAtMs = performance.now() + seconds * 1_000; performance.now() < endsAtMs;)
          times.push((await send(gateway, { path: '/v1/opportunities/summary', headers: gateway.headers, body })).ms);
        return median(times);
      };
      const figures: Figure[] = [];
      for (const { name, groupBy, filters } of summaryKinds) {
        const measures = ['count', 'sum:amount'];
        const body = JSON.stringify({ pipeline_id: pipelineIds[0], group_by: groupBy, measures, filters });
        const [values] = await alternate([{ name, run: (seconds) => medianOf(body, seconds) }], run);
        figures.push({ id: 'S16', name, values, unit: 'ms', atMost: 300, size });
      }
      return figures;
    });
  },
};
