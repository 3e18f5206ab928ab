import { startGateway } from '../contestants/gateways.js';
import { pageScope } from '../contestants/page.js';
import type { NewMeasure } from '../harness/results.js';
import { alternate, ratios } from '../harness/rounds.js';
import type { MeasureGroup, Run } from '../harness/run.js';
import { describeWrites, newDeals, repeatedDeals, type WriteOutcome } from './writes.js';

/** Above it a copy takes too long and too much room; a few thousand deals more then make no difference. */
const largestCopy = 1_000_000;

const openSize = async ({ server }: Run, size: number) => {
  const kept = await server.database(size);
  const url = size <= largestCopy ? await server.copy(kept) : kept;
  const gateway = await startGateway('inbound-gateway', url, pageScope(size).organizationId);
  const contestants = [
    newDeals(`new at ${size}`, gateway, size),
    await repeatedDeals(`repeat at ${size}`, gateway, url, size),
  ];
  const close = async (): Promise<void> => {
    await gateway.stop();
    if (url !== kept) await server.dropCopy(url);
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

/** S10: deals that are new and deals that are there already, in data of two sizes. */
export const writeScaling: MeasureGroup = {
  ids: ['S10'],
  measure: async (run) => {
    const small = await openSize(run, run.sizes[0]);
    const large = await openSize(run, run.sizes[1]);
    try {
      run.log('Writes at two sizes');
      const contestants = [...small.contestants, ...large.contestants];
      // Short rounds: the small data must not grow much.
      return toMeasures(await alternate(contestants, { ...run, seconds: 2 }, describeWrites), run.sizes);
    } finally {
      await small.close();
      await large.close();
    }
  },
};
