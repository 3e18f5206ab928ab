import pg from 'pg';
import { startGateway } from '../contestants/gateways.js';
import { pageScope } from '../contestants/page.js';
import type { NewMeasure } from '../harness/results.js';
import { alternate, ratios } from '../harness/rounds.js';
import type { MeasureGroup, Run } from '../harness/run.js';
import { describeWrites, newDeals, repeatedDeals, type WriteOutcome } from './writes.js';

/** Above this size, a copy takes too long and too much space. The writes are deleted again instead. */
const largestCopy = 1_000_000;

/** Deletes the written deals, because searches in reused data expect the generated deals only. */
const removeWritten = async (url: string, size: number, since: Date): Promise<void> => {
  const client = new pg.Client({ connectionString: url });
  await client.connect();
  const { organizationId, pipelineId } = pageScope(size);
  const written = `(SELECT o.id FROM opportunities o WHERE o.organization_id = $1 AND o.pipeline_id = $3 AND o.created_at >= $2)`;
  const values = [organizationId, since, pipelineId];
  await client.query(
    `DELETE FROM opportunity_contacts WHERE organization_id = $1 AND opportunity_id IN ${written}`,
    values,
  );
  await client.query(`DELETE FROM opportunities WHERE organization_id = $1 AND id IN ${written}`, values);
  for (const table of ['contacts', 'accounts'])
    await client.query(`DELETE FROM ${table} WHERE organization_id = $1 AND created_at >= $2`, values.slice(0, 2));
  await client.end();
};

const openSize = async ({ server }: Run, size: number) => {
  const kept = await server.database(size);
  const startedAt = new Date();
  const url = size <= largestCopy ? await server.copy(kept) : kept;
  const gateway = await startGateway('inbound-gateway', url, pageScope(size).organizationId);
  const contestants = [
    newDeals(`new at ${size}`, gateway, size),
    await repeatedDeals(`repeat at ${size}`, gateway, url, size),
  ];
  const close = async (): Promise<void> => {
    await gateway.stop();
    await (url === kept ? removeWritten(url, size, startedAt) : server.dropCopy(url));
  };
  return { contestants, close };
};

const toMeasures = (outcomes: Map<string, WriteOutcome[]>, [small, large]: Run['sizes']): NewMeasure[] => {
  const of = (name: string): number[] => (outcomes.get(name) ?? []).map(({ perSecond }) => perSecond);
  return (['new', 'repeat'] as const).flatMap((kind): NewMeasure[] => [
    { id: 'S10', name: kind, values: of(`${kind} at ${large}`), unit: 'calls/s', size: large },
    {
      ...{ id: 'S10', name: `${kind} against ${kind} at 10 thousand`, unit: '×', size: large },
      values: ratios(of(`${kind} at ${large}`), of(`${kind} at ${small}`)),
      target: { at: 'least', value: 0.67 },
    },
  ]);
};

/** S10: new deals and repeated deals, in data of two sizes. */
export const writeScaling: MeasureGroup = {
  ids: ['S10'],
  measure: async (run) => {
    const small = await openSize(run, run.sizes[0]);
    const large = await openSize(run, run.sizes[1]);
    try {
      run.log('Writes at two sizes');
      const contestants = [...small.contestants, ...large.contestants];
      // Short rounds, so that the small data does not grow much.
      return toMeasures(await alternate(contestants, { ...run, seconds: 2 }, describeWrites), run.sizes);
    } finally {
      await small.close();
      await large.close();
    }
  },
};
