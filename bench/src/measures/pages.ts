import { isDeepStrictEqual } from 'node:util';
import pg from 'pg';
import { type Gateway, startGateway } from '../contestants/gateways.js';
import { pageFromTablesSql } from '../contestants/page-from-tables.js';
import { type PageFixture, pageScope, readPageFixture } from '../contestants/page.js';
import { runPgbench } from '../contestants/pgbench.js';
import { postGraphilePage, recordsOfPostGraphile, startPostGraphile } from '../contestants/postgraphile.js';
import {
  describeOutcome,
  differs,
  type Outcome,
  poolSize,
  readBody,
  served,
  ContestantSet,
  startPageServer,
} from '../contestants/contestant-set.js';
import type { NewMeasure } from '../harness/results.js';
import { alternate, ratios } from '../harness/rounds.js';
import type { MeasureGroup, Run } from '../harness/run.js';

const addPgbench = async (set: ContestantSet, databaseUrl: string, size: number, page: PageFixture): Promise<void> => {
  const sql = pageFromTablesSql(size, page.limit);
  const client = new pg.Client({ connectionString: databaseUrl });
  await client.connect();
  const { rows } = await client.query<{ record: string }>(sql);
  await client.end();
  const records = rows.slice(0, page.limit).map(({ record }) => record);
  if (`${page.head}${records.join(',')}${page.tail}` !== page.body)
    throw differs('The statement that builds the page from the tables');
  const run = async (seconds: number): Promise<Outcome> => ({
    perSecond: await runPgbench({ databaseUrl, sql, seconds, connections: poolSize }),
  });
  set.contestants.push({ name: 'pgbench', run });
};

const addPrisma = async (set: ContestantSet, url: string, size: number, page: PageFixture): Promise<void> => {
  const server = await startPageServer('prisma-page-server', url, page, size);
  const request = { path: page.path };
  // Compares values, not bytes: PostgreSQL writes a space after every colon in JSON, and JSON.stringify does not.
  if (!isDeepStrictEqual(JSON.parse(await readBody(server, request)), JSON.parse(page.body))) throw differs('Prisma');
  set.addServer('prisma', server, request);
};

const addPostGraphile = async (set: ContestantSet, run: Run, url: string, page: PageFixture): Promise<void> => {
  const server = await startPostGraphile(url, run.log);
  const request = postGraphilePage(run.size, page.limit);
  const { data } = JSON.parse(page.body) as { readonly data: { readonly opportunities: unknown } };
  const records = recordsOfPostGraphile(await readBody(server, request));
  if (!isDeepStrictEqual(records, data.opportunities)) throw differs('PostGraphile');
  set.addServer('postgraphile', server, request);
};

const numbers = (outcomes: Map<string, Outcome[]>, name: string, of: (outcome: Outcome) => number): number[] =>
  (outcomes.get(name) ?? []).map(of);

interface Goals {
  readonly limit: number;
  readonly pgbench: number;
  readonly postgraphile: number;
}

const goals: readonly Goals[] = [
  { limit: 50, pgbench: 1, postgraphile: 8 },
  { limit: 500, pgbench: 1.4, postgraphile: 10 },
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
  add('S3', 'CPU of the gateway', cpu('gateway'), 'ms');
  if (outcomes.has('pgbench')) {
    add('S2', 'pgbench, JSON from the tables', perSecond('pgbench'), 'pages/s');
    add('S2', 'gateway', perSecond('gateway'), 'pages/s');
    add('S2', 'gateway against pgbench', against('pgbench'), '×', { at: 'least', value: goal.pgbench });
  }
  if (outcomes.has('prisma')) {
    add('S3', 'CPU of Prisma behind Express', cpu('prisma'), 'ms');
    add('S3', 'CPU against Prisma', ratios(cpu('gateway'), cpu('prisma')), '×', { at: 'most', value: 0.12 });
  }
  if (outcomes.has('postgraphile')) {
    add('S4', 'PostGraphile 5', perSecond('postgraphile'), 'pages/s');
    add('S4', 'gateway against PostGraphile', against('postgraphile'), '×', { at: 'least', value: goal.postgraphile });
  }
  return measures;
};

const measurePages = async (run: Run, gateway: Gateway, url: string, goal: Goals): Promise<NewMeasure[]> => {
  const page = await readPageFixture(gateway, url, run.size, goal.limit);
  const set = new ContestantSet();
  set.contestants.push(served('gateway', gateway, { path: page.path, headers: gateway.headers }));
  try {
    if (run.wants('S2')) await addPgbench(set, url, run.size, page);
    if (run.wants('S3')) await addPrisma(set, url, run.size, page);
    if (run.wants('S4')) await addPostGraphile(set, run, url, page);
    run.log(`Pages of ${goal.limit}`);
    const outcomes = await alternate(set.contestants, run, describeOutcome);
    return toMeasures(outcomes, run, goal);
  } finally {
    await set.stop();
  }
};

/** S2 to S4: list pages of 50 and 500, the gateway against the other servers with the same rows. */
export const pages: MeasureGroup = {
  ids: ['S2', 'S3', 'S4'],
  measure: async (run) => {
    const url = await run.server.database(run.size);
    const gateway = await startGateway('read-gateway', url, pageScope(run.size).organizationId);
    try {
      const measures: NewMeasure[] = [];
      for (const goal of goals) measures.push(...(await measurePages(run, gateway, url, goal)));
      return measures;
    } finally {
      await gateway.stop();
    }
  },
};
