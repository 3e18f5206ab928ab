import { isDeepStrictEqual } from 'node:util';
import { resolve } from 'node:path';
import { fileURLToPath } from 'node:url';
import pg from 'pg';
import { benchFolder } from '../bench-server.js';
import { type Gateway, startGateway } from '../contestants/gateways.js';
import { pageFromTablesSql } from '../contestants/page-from-tables.js';
import { type PageFixture, pageScope, readPageFixture } from '../contestants/page.js';
import { runPgbench } from '../contestants/pgbench.js';
import { postGraphilePage, recordsOfPostGraphile, startPostGraphile } from '../contestants/postgraphile.js';
import { type ServerProcess, startServerProcess } from '../harness/child.js';
import { measureCapacity } from '../harness/capacity.js';
import { type LoadRequest, type LoadResult, sendLoad } from '../harness/load.js';
import { cpuMsOf } from '../harness/process-usage.js';
import type { NewMeasure } from '../harness/results.js';
import { alternate, type Contestant, ratios } from '../harness/rounds.js';
import type { MeasureGroup, Run } from '../harness/run.js';
import { median } from '../harness/statistics.js';

/** As many as the pools of all sides have connections, and a few that wait: nobody is ever idle. */
const connections = 16;
const poolSize = 10;

interface Outcome {
  readonly perSecond: number;
  /** CPU of the serving process for a page; absent for pgbench, which has none. */
  readonly cpuMs?: number;
}

const describe = ({ perSecond, cpuMs }: Outcome): string =>
  `${perSecond.toFixed(0)} pages/s${cpuMs === undefined ? '' : `, ${cpuMs.toFixed(3)} ms CPU`}`;

const served = (name: string, { url, pid }: ServerProcess, request: LoadRequest): Contestant<Outcome> => ({
  name,
  run: async (seconds) => {
    const before = await cpuMsOf(pid);
    const { perSecond, requests } = await measureCapacity({ url, request, seconds, connections });
    return { perSecond, cpuMs: ((await cpuMsOf(pid)) - before) / requests };
  },
});

const script = (name: string): string => fileURLToPath(new URL(`../servers/${name}.js`, import.meta.url));

const startPageServer = (
  name: string,
  databaseUrl: string,
  page: PageFixture,
  size: number,
): Promise<ServerProcess> => {
  const { limit, head, tail, text, values } = page;
  return startServerProcess({
    script: script(name),
    environment: {
      DATABASE_URL: databaseUrl,
      PAGE: JSON.stringify({ limit, head, tail, text, values, ...pageScope(size) }),
    },
    logFile: resolve(benchFolder, `${name}.log`),
    readyPath: '/v1/opportunities',
  });
};

const readBody = async (
  { url }: ServerProcess,
  { method = 'GET', path, headers = {}, body }: LoadRequest,
): Promise<string> =>
  (await fetch(`${url}${path}`, { method, headers, ...(body === undefined ? {} : { body: body() }) })).text();

const differs = (name: string): Error => new Error(`${name} does not answer the same page: nothing was measured`);

/** The parts of a comparison that end with it. */
class Stage {
  readonly #stops: (() => Promise<void>)[] = [];
  readonly contestants: Contestant<Outcome>[] = [];

  addServer(name: string, server: ServerProcess, request: LoadRequest): void {
    this.#stops.push(() => server.stop());
    this.contestants.push(served(name, server, request));
  }

  async stop(): Promise<void> {
    for (const stop of this.#stops) await stop();
  }
}

const addBare = async (stage: Stage, url: string, size: number, page: PageFixture): Promise<void> => {
  const server = await startPageServer('bare-page-server', url, page, size);
  const request = { path: page.path };
  if ((await readBody(server, request)) !== page.body) throw differs('The bare server');
  stage.addServer('bare', server, request);
};

const addPgbench = async (stage: Stage, databaseUrl: string, size: number, page: PageFixture): Promise<void> => {
  const sql = pageFromTablesSql(size, page.limit);
  const client = new pg.Client({ connectionString: databaseUrl });
  await client.connect();
  const { rows } = await client.query<{ record: string }>(sql);
  await client.end();
  const records = rows.slice(0, page.limit).map(({ record }) => record);
  if (`${page.head}${records.join(',')}${page.tail}` !== page.body) throw differs('The page made of tables');
  const run = async (seconds: number): Promise<Outcome> => ({
    perSecond: await runPgbench({ databaseUrl, sql, seconds, connections: poolSize }),
  });
  stage.contestants.push({ name: 'pgbench', run });
};

const addPrisma = async (stage: Stage, url: string, size: number, page: PageFixture): Promise<void> => {
  const server = await startPageServer('prisma-page-server', url, page, size);
  const request = { path: page.path };
  // The database writes a space behind every colon of a JSON column, JSON.stringify none: the values are compared.
  if (!isDeepStrictEqual(JSON.parse(await readBody(server, request)), JSON.parse(page.body))) throw differs('Prisma');
  stage.addServer('prisma', server, request);
};

const addPostGraphile = async (stage: Stage, run: Run, url: string, page: PageFixture): Promise<void> => {
  const server = await startPostGraphile(url, run.log);
  const request = postGraphilePage(run.size, page.limit);
  const { data } = JSON.parse(page.body) as { readonly data: { readonly opportunities: unknown } };
  const records = recordsOfPostGraphile(await readBody(server, request));
  if (!isDeepStrictEqual(records, data.opportunities)) throw differs('PostGraphile');
  stage.addServer('postgraphile', server, request);
};

const numbers = (outcomes: Map<string, Outcome[]>, name: string, of: (outcome: Outcome) => number): number[] =>
  (outcomes.get(name) ?? []).map(of);

interface Goals {
  readonly limit: number;
  readonly bare: number;
  readonly pgbench: number;
  readonly postgraphile: number;
}

const goals: readonly Goals[] = [
  { limit: 50, bare: 0.75, pgbench: 1, postgraphile: 4 },
  { limit: 500, bare: 0.9, pgbench: 1.2, postgraphile: 5 },
];

const toMeasures = (outcomes: Map<string, Outcome[]>, { size }: Run, goal: Goals): NewMeasure[] => {
  const perSecond = (name: string): number[] => numbers(outcomes, name, (outcome) => outcome.perSecond);
  const cpu = (name: string): number[] => numbers(outcomes, name, ({ cpuMs }) => cpuMs ?? Number.NaN);
  const against = (name: string): number[] => ratios(perSecond('gateway'), perSecond(name));
  const rows = `${goal.limit} rows`;
  const measures: NewMeasure[] = [];
  const add = (
    id: string,
    name: string,
    values: readonly number[],
    unit: string,
    target?: NewMeasure['target'],
  ): void => {
    measures.push({ id, name: `page of ${rows}: ${name}`, values, unit, target, size });
  };
  add('S1', 'gateway', perSecond('gateway'), 'pages/s');
  add('S3', 'CPU of the gateway', cpu('gateway'), 'ms');
  if (outcomes.has('bare')) {
    add('S1', 'bare node:http and pg', perSecond('bare'), 'pages/s');
    add('S1', 'gateway against bare node:http and pg', against('bare'), '×', { at: 'least', value: goal.bare });
  }
  if (outcomes.has('pgbench')) {
    add('S2', 'pgbench, JSON from the tables', perSecond('pgbench'), 'pages/s');
    add('S2', 'gateway against pgbench', against('pgbench'), '×', { at: 'least', value: goal.pgbench });
  }
  if (outcomes.has('prisma')) {
    add('S3', 'CPU of Prisma behind Express', cpu('prisma'), 'ms');
    add('S3', 'CPU against Prisma', ratios(cpu('gateway'), cpu('prisma')), '×', { at: 'most', value: 0.2 });
  }
  if (outcomes.has('postgraphile')) {
    add('S4', 'PostGraphile 5', perSecond('postgraphile'), 'pages/s');
    add('S4', 'gateway against PostGraphile', against('postgraphile'), '×', { at: 'least', value: goal.postgraphile });
  }
  return measures;
};

/** Of what a gateway can do at most: a deployment is sized for less than all of it. */
const steadyShare = 0.5;

/** What a page takes while requests come at a steady rate, counted from when each was due, not from when there was time to send it. */
const measureSteady = async (
  { rounds, seconds, size, log }: Run,
  gateway: Gateway,
  { limit, path }: PageFixture,
  capacity: number,
): Promise<NewMeasure[]> => {
  const rate = Math.round(capacity * steadyShare);
  const request = { path, headers: gateway.headers };
  const results: LoadResult[] = [];
  for (let round = 1; round <= rounds; round += 1) {
    const result = await sendLoad({ url: gateway.url, request, seconds, connections, rate });
    results.push(result);
    log(`  round ${round} of ${rounds}, ${rate} pages/s: p50 ${result.p50Ms} ms, p99 ${result.p99Ms} ms`);
  }
  const name = (figure: string): string => `page of ${limit} rows: ${figure} at half of the gateway's capacity`;
  return [
    { id: 'S1', name: name('p50'), values: results.map(({ p50Ms }) => p50Ms), unit: 'ms', size },
    { id: 'S1', name: name('p99'), values: results.map(({ p99Ms }) => p99Ms), unit: 'ms', size },
  ];
};

const measurePages = async (run: Run, gateway: Gateway, url: string, goal: Goals): Promise<NewMeasure[]> => {
  const page = await readPageFixture(gateway, url, run.size, goal.limit);
  const stage = new Stage();
  stage.contestants.push(served('gateway', gateway, { path: page.path, headers: gateway.headers }));
  try {
    if (run.wants('S1')) await addBare(stage, url, run.size, page);
    if (run.wants('S2')) await addPgbench(stage, url, run.size, page);
    if (run.wants('S3')) await addPrisma(stage, url, run.size, page);
    if (run.wants('S4')) await addPostGraphile(stage, run, url, page);
    run.log(`Pages of ${goal.limit}`);
    const outcomes = await alternate(stage.contestants, run, describe);
    const measures = toMeasures(outcomes, run, goal);
    const capacity = median(numbers(outcomes, 'gateway', ({ perSecond }) => perSecond));
    if (run.wants('S1')) measures.push(...(await measureSteady(run, gateway, page, capacity)));
    return measures;
  } finally {
    await stage.stop();
  }
};

/** Other page sizes, for the graph; the bare server and the gateway only. */
const otherLimits = [10, 100, 200];

const measureOtherSizes = async (run: Run, gateway: Gateway, url: string): Promise<NewMeasure[]> => {
  const measures: NewMeasure[] = [];
  for (const limit of otherLimits) {
    const page = await readPageFixture(gateway, url, run.size, limit);
    const stage = new Stage();
    stage.contestants.push(served('gateway', gateway, { path: page.path, headers: gateway.headers }));
    try {
      await addBare(stage, url, run.size, page);
      run.log(`Pages of ${limit}`);
      const outcomes = await alternate(stage.contestants, { ...run, rounds: 3, seconds: 2 }, describe);
      for (const [contestant, name] of [
        ['gateway', 'gateway'],
        ['bare', 'bare node:http and pg'],
      ] as const) {
        const values = numbers(outcomes, contestant, ({ perSecond }) => perSecond);
        measures.push({ id: 'S1', name: `page of ${limit} rows: ${name}`, values, unit: 'pages/s', size: run.size });
      }
    } finally {
      await stage.stop();
    }
  }
  return measures;
};

/** S1 to S4: list pages of 50 and 500, the gateway against everybody else on the same rows. */
export const pages: MeasureGroup = {
  ids: ['S1', 'S2', 'S3', 'S4'],
  measure: async (run) => {
    const url = await run.server.database(run.size);
    const gateway = await startGateway('read-gateway', url, pageScope(run.size).organizationId);
    try {
      const measures: NewMeasure[] = [];
      for (const goal of goals) measures.push(...(await measurePages(run, gateway, url, goal)));
      if (run.wants('S1')) measures.push(...(await measureOtherSizes(run, gateway, url)));
      return measures;
    } finally {
      await gateway.stop();
    }
  },
};
