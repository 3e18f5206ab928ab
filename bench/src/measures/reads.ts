import { readFile } from 'node:fs/promises';
import pg from 'pg';
import { readBody, served } from '../contestants/contestant-set.js';
import { type Gateway, startGateway } from '../contestants/gateways.js';
import { pageScope } from '../contestants/page.js';
import { organizationLayout } from '../dataset/layout.js';
import type { NewMeasure, Target } from '../harness/results.js';
import { alternate, ratios } from '../harness/rounds.js';
import type { MeasureGroup, Run } from '../harness/run.js';
import { median } from '../harness/statistics.js';
import { kinds, type KnownRecords, requestShapes, type RequestShape } from './request-shapes.js';

/** As many requests at once as the pool of a gateway has connections. */
const callers = 10;
const requestsPerShape = 200;

const withClient = async <T>(url: string, work: (client: pg.Client) => Promise<T>): Promise<T> => {
  const client = new pg.Client({ connectionString: url });
  await client.connect();
  try {
    return await work(client);
  } finally {
    await client.end();
  }
};

const findRecords = (client: pg.Client, size: number): Promise<KnownRecords> => {
  const { id, pipelineIds, stageIds } = organizationLayout(1, size);
  const text = `SELECT o.id AS "opportunityId", a.id AS "accountId", c.id AS "contactId", a.domain, c.email
      FROM opportunities o
      JOIN accounts a ON a.organization_id = o.organization_id AND a.id = o.account_id
      JOIN contacts c ON c.organization_id = o.organization_id AND c.id = o.contact_id
     WHERE o.organization_id = $1 AND o.pipeline_id = $2 LIMIT 1`;
  return client.query<KnownRecords>(text, [id, pipelineIds[0]]).then(({ rows: [row] }) => {
    if (row === undefined) throw new Error('The data has no opportunity with an account and a contact');
    return { ...row, pipelineId: pipelineIds[0] ?? '', stageIds: stageIds[0] ?? [] };
  });
};

/** Sends every request often, ten at a time, so that each connection has run each statement. */
const sendAll = async (gateway: Gateway, shapes: readonly RequestShape[]): Promise<void> => {
  for (const { request } of shapes)
    for (let sent = 0; sent < requestsPerShape; sent += callers)
      await Promise.all(Array.from({ length: callers }, () => readBody(gateway, request)));
};

/** The resident memory of a process without shared memory, in MiB. Linux only. */
const ownMibOf = async (pid: number): Promise<number> =>
  Number(/^RssAnon:\s+(\d+) kB/m.exec(await readFile(`/proc/${pid}/status`, 'utf8'))?.[1]) / 1024;

const figure = (name: string, values: readonly number[], size: number, detail = '', target?: Target): NewMeasure => ({
  ...{ id: 'S18', name, values, size, detail, target },
  unit: name.includes('against') ? '×' : '',
});

/** S18d and S18e: how often statements are planned in the steady state, and the memory of the server's processes. */
const measurePlans = async (gateway: Gateway, client: pg.Client, shapes: readonly RequestShape[], size: number) => {
  const counts = `SELECT sum(calls)::float8 AS calls, sum(plans)::float8 AS plans FROM pg_stat_statements
                   WHERE dbid = (SELECT oid FROM pg_database WHERE datname = current_database())`;
  const readCounts = async (sent: readonly RequestShape[]): Promise<{ calls: number; plans: number }> => {
    await client.query('SELECT pg_stat_statements_reset()');
    await sendAll(gateway, sent);
    const { rows } = await client.query<{ calls: number; plans: number }>(counts);
    return rows[0] ?? { calls: Number.NaN, plans: Number.NaN };
  };
  await client.query('CREATE EXTENSION IF NOT EXISTS pg_stat_statements');
  await sendAll(gateway, shapes);
  const { calls, plans } = await readCounts(shapes);
  const several: string[] = [];
  for (const shape of shapes) {
    const one = await readCounts([shape]);
    // Less than a tenth of the requests also look up the key or the setup, which are cached.
    if (one.calls / requestsPerShape >= 1.5) several.push(shape.name);
  }
  const { rows } = await client.query<{ pid: number }>(
    `SELECT pid FROM pg_stat_activity WHERE datname = current_database() AND pid <> pg_backend_pid()`,
  );
  const memory = await Promise.all(rows.map(({ pid }) => ownMibOf(pid)));
  const mostMib = memory.sort((a, b) => b - a).slice(0, callers);
  const single = shapes.length - several.length;
  return [
    figure('plans / calls of all request shapes', [plans / calls], size, '', { at: 'most', value: 0.02 }),
    figure('request shapes with one statement', [single], size, several.join(', '), {
      ...{ at: 'least', value: Math.ceil(shapes.length * 0.9) },
    }),
    figure('MiB of the server for ten connections after that', [mostMib.reduce((sum, mib) => sum + mib)], size),
  ];
};

const measureRates = async (run: Run, gateway: Gateway, shapes: readonly RequestShape[]): Promise<NewMeasure[]> => {
  const { size } = run;
  const rates = await alternate(
    shapes.map(({ name, request }) => served(name, gateway, request)),
    { ...run, seconds: 1 },
  );
  const ratesOf = (name: string): readonly number[] => rates.get(name) ?? [];
  const rated = shapes.filter(({ kind }) => kind !== 'sorted list');
  const figures = rated.map(({ name }) => figure(`${name}, requests/s`, ratesOf(name), size));
  const slowest = Object.entries(kinds).flatMap(([kind, target]) => {
    if (target === null) return [];
    const compared = shapes
      .filter((shape) => shape.kind === kind)
      .map(({ name }) => ({ name, values: ratios(ratesOf(name), ratesOf(target.base)) }))
      .sort((one, other) => median(one.values) - median(other.values));
    const name = `the slowest of ${compared.length} of the kind "${kind}" against the ${target.base}`;
    const [worst] = compared;
    const bound = { at: 'least', value: target.least } as const;
    return worst === undefined ? [] : [figure(name, worst.values, size, worst.name, bound)];
  });
  return [...figures, ...slowest];
};

const measureReads = async (run: Run, size: number): Promise<NewMeasure[]> => {
  const url = await run.server.copy(await run.server.database(size));
  const gateway = await startGateway('read-gateway', url, pageScope(size).organizationId);
  try {
    return await withClient(url, async (client) => {
      const shapes = requestShapes(await findRecords(client, size), gateway.headers);
      for (const { request } of shapes) await readBody(gateway, request);
      run.log(`Reads of ${size} deals`);
      const rates = await measureRates({ ...run, size }, gateway, shapes);
      return [...rates, ...(await measurePlans(gateway, client, shapes, size))];
    });
  } finally {
    await gateway.stop();
    await run.server.dropCopy(url);
  }
};

/** S18: reads, lists and searches against the default lists in data of two sizes, and how often their statements are planned. */
export const reads: MeasureGroup = {
  ids: ['S18'],
  measure: async (run) => [...(await measureReads(run, run.sizes[0])), ...(await measureReads(run, run.sizes[1]))],
};
