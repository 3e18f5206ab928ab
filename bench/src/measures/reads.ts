import { readFile } from 'node:fs/promises';
import type pg from 'pg';
import { type Gateway, send, withGateway } from '../contestants/gateways.js';
import { organizationLayout } from '../dataset/layout.js';
import { type Figure, median } from '../harness/figures.js';
import { sendLoad } from '../harness/programs.js';
import { alternate, ratios } from '../harness/rounds.js';
import type { MeasureGroup, Run } from '../harness/run.js';
import { withClient } from '../harness/with-client.js';
import { kinds, type KnownRecords, requestShapes, type RequestShape } from './request-shapes.js';

/** As many requests at once as the pool of a gateway has connections. */
const callers = 10;
const requestsPerShape = 200;

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

/** Sends every request often, ten at a time, so that each connection has run each statement. */
const sendAll = async (gateway: Gateway, shapes: readonly RequestShape[]): Promise<void> => {
  for (const { request } of shapes)
    for (let sent = 0; sent < requestsPerShape; sent += callers)
      await Promise.all(Array.from({ length: callers }, () => send(gateway, request)));
};

/** The resident memory of a process without shared memory, in MiB. Linux only. */
const ownMibOf = async (pid: number): Promise<number> =>
  Number(/^RssAnon:\s+(\d+) kB/m.exec(await readFile(`/proc/${pid}/status`, 'utf8'))?.[1]) / 1024;

/** S18d and S18e: how often statements are planned in the steady state, and the memory of the server's processes. */
const measurePlans = async (
  gateway: Gateway,
  client: pg.Client,
  shapes: readonly RequestShape[],
  size: number,
): Promise<Figure[]> => {
  const counts = `SELECT sum(calls)::float8 AS calls, sum(plans)::float8 AS plans FROM pg_stat_statements
                   WHERE dbid = (SELECT oid FROM pg_database WHERE datname = current_database())`;
  const countsOf = async (sent: readonly RequestShape[]): Promise<{ calls: number; plans: number }> => {
    await client.query('SELECT pg_stat_statements_reset()');
    await sendAll(gateway, sent);
    const { rows } = await client.query<{ calls: number; plans: number }>(counts);
    return rows[0] ?? { calls: Number.NaN, plans: Number.NaN };
  };
  await client.query('CREATE EXTENSION IF NOT EXISTS pg_stat_statements');
  await sendAll(gateway, shapes);
  const { calls, plans } = await countsOf(shapes);
  const several: string[] = [];
  for (const shape of shapes) {
    const one = await countsOf([shape]);
    // Less than a tenth of the requests also look up the key or the setup, which are cached.
    if (one.calls / requestsPerShape >= 1.5) several.push(shape.name);
  }
  const { rows } = await client.query<{ pid: number }>(
    `SELECT pid FROM pg_stat_activity WHERE datname = current_database() AND pid <> pg_backend_pid()`,
  );
  const memory = await Promise.all(rows.map(({ pid }) => ownMibOf(pid)));
  const ofTen = memory
    .sort((a, b) => b - a)
    .slice(0, callers)
    .reduce((sum, mib) => sum + mib);
  const figure = { id: 'S18', unit: '', size };
  const single = { values: [shapes.length - several.length], atLeast: Math.ceil(shapes.length * 0.9) };
  return [
    { ...figure, name: 'plans / calls of all request shapes', values: [plans / calls], atMost: 0.02 },
    { ...figure, name: 'request shapes with one statement', ...single, detail: several.join(', ') },
    { ...figure, name: 'MiB of the server for ten connections after that', values: [ofTen] },
  ];
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

/** S18: reads, lists and searches against the default lists in data of two sizes, and how often their statements are planned. */
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
          figures.push(...(await measurePlans(gateway, client, shapes, size)));
        }),
      );
    }
    return figures;
  },
};
