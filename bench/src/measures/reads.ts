import type pg from 'pg';
import { type Gateway, send, withGateway } from '../contestants/gateways.js';
import { organizationLayout } from '../dataset/layout.js';
import { type Figure, median } from '../harness/figures.js';
import { sendLoad } from '../harness/programs.js';
import { alternate, ratios } from '../harness/rounds.js';
import type { MeasureGroup, Run } from '../harness/run.js';
import { withClient } from '../harness/with-client.js';
import { kinds, type KnownRecords, requestShapes, type RequestShape } from './request-shapes.js';

const findRecords = async (client: pg.Client, size: number): Promise<KnownRecords> => {
  const { id, pipelineIds, stageIds } = organizationLayout(1, size);
  const text = `SELECT o.id AS "opportunityId", a.id AS "accountId", c.id AS "contactId", a.domain, c.email
      FROM opportunities o
      JOIN accounts a ON a.organization_id = o.organization_id AND a.id = o.account_id
      JOIN contacts c ON c.organization_id = o.organization_id AND c.id = o.contact_id
     WHERE o.organization_id = $1 AND o.pipeline_id = $2 LIMIT 1`;
  const { rows } = await client.query<Omit<KnownRecords, 'pipelineId' | 'stageIds'>>(text, [id, pipelineIds[0]]);
  if (rows[0] === undefined) throw new Error('The data has no opportunity with an account and a contact');
  return { ...rows[0], pipelineId: pipelineIds[0], stageIds: stageIds[0] };
};

const measureRates = async (run: Run, gateway: Gateway, shapes: readonly RequestShape[]): Promise<Figure[]> => {
  const contestants = shapes.map(({ name, request }) => ({
    name,
    run: (seconds: number) => sendLoad(gateway.url, request, seconds),
  }));
  const rates = await alternate(contestants, { ...run, seconds: 1 });
  const measured = shapes.map(({ name, kind }, index) => ({ name, kind, values: rates[index] ?? [] }));
  const common = { id: 'S18', size: run.size };
  const figures = measured
    .filter(({ kind }) => kind !== 'sorted list')
    .map(({ name, values }) => ({ ...common, name: `${name}, requests/s`, values, unit: '' }));
  const slowest = Object.entries(kinds).map(([kind, { base, atLeast }]) => {
    const baseRates = measured.find(({ name }) => name === base)?.values ?? [];
    const compared = measured
      .filter((one) => one.kind === kind)
      .map(({ name, values }) => ({ detail: name, values: ratios(values, baseRates) }))
      .sort((one, other) => median(one.values) - median(other.values));
    const name = `the slowest of ${compared.length} of the kind "${kind}" against the ${base}`;
    return { ...common, name, unit: '×', atLeast, detail: '', values: [], ...compared[0] };
  });
  return [...figures, ...slowest];
};

/** S18: reads, lists and searches against the default lists in data of two sizes. */
export const reads: MeasureGroup = {
  ids: ['S18'],
  measure: async (run) => {
    const figures: Figure[] = [];
    for (const size of run.sizes) {
      const url = await run.server.database(size);
      await withGateway('read-gateway', url, organizationLayout(1, size).id, (gateway) =>
        withClient(url, async (client) => {
          const shapes = requestShapes(await findRecords(client, size), gateway.headers);
          for (const { request } of shapes) await send(gateway, request);
          run.log(`Reads of ${size} deals`);
          figures.push(...(await measureRates({ ...run, size }, gateway, shapes)));
        }),
      );
    }
    return figures;
  },
};
