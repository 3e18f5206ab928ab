import { type Gateway, startGateway } from '../contestants/gateways.js';
import { type PageFixture, pageScope, readPageFixture } from '../contestants/page.js';
import {
  connections,
  describeOutcome,
  differs,
  type Outcome,
  readBody,
  served,
  ContestantSet,
  startPageServer,
} from '../contestants/contestant-set.js';
import { type RecordKind, setPageRecords } from '../dataset/page-records.js';
import { type LoadResult, sendLoad } from '../harness/load.js';
import type { NewMeasure } from '../harness/results.js';
import { alternate, ratios, type RoundOptions } from '../harness/rounds.js';
import type { MeasureGroup, Run } from '../harness/run.js';
import { median } from '../harness/statistics.js';

/**
 * The share of the bare server's rate that the gateway must reach, by records per page. Null: measured only for the
 * chart.
 */
const targets = new Map<number, number | null>([
  [10, null],
  [50, 0.5],
  [100, null],
  [200, null],
  [500, 0.8],
]);

const recordsOf = (kind: RecordKind, limit: number): string => `page of ${limit} ${kind} records`;

/** Measures the gateway and the bare server in turn with the same page. */
const compare = async (
  gateway: Gateway,
  url: string,
  size: number,
  page: PageFixture,
  options: RoundOptions,
): Promise<Map<string, Outcome[]>> => {
  const set = new ContestantSet();
  set.contestants.push(served('gateway', gateway, { path: page.path, headers: gateway.headers }));
  try {
    const server = await startPageServer('bare-page-server', url, page, size);
    set.addServer('bare', server, { path: page.path });
    if ((await readBody(server, { path: page.path })) !== page.body) throw differs('The bare server');
    return await alternate(set.contestants, options, describeOutcome);
  } finally {
    await set.stop();
  }
};

const toMeasures = (outcomes: Map<string, Outcome[]>, size: number, kind: RecordKind, limit: number): NewMeasure[] => {
  const perSecond = (name: string): number[] => (outcomes.get(name) ?? []).map((outcome) => outcome.perSecond);
  const [gateway, bare] = [perSecond('gateway'), perSecond('bare')];
  const name = (figure: string): string => `${recordsOf(kind, limit)}: ${figure}`;
  const target = targets.get(limit) ?? null;
  return [
    { id: 'S1', name: name('gateway'), values: gateway, unit: 'pages/s', size },
    { id: 'S1', name: name('bare node:http and postgres.js'), values: bare, unit: 'pages/s', size },
    {
      id: 'S1',
      name: name('gateway against bare node:http and postgres.js'),
      values: ratios(gateway, bare),
      unit: '×',
      size,
      ...(target === null ? {} : { target: { at: 'least', value: target } }),
    },
  ];
};

/** The share of the gateway's capacity for latency measurements, because deployments do not run at full capacity. */
const steadyShare = 0.5;

/**
 * Measures the latency of a page at a steady rate. It counts from when a request was due, not from when it was sent.
 */
const measureSteady = async (
  { rounds, seconds, size, log }: Run,
  gateway: Gateway,
  { path }: PageFixture,
  capacity: number,
  of: string,
): Promise<NewMeasure[]> => {
  const rate = Math.round(capacity * steadyShare);
  const request = { path, headers: gateway.headers };
  const results: LoadResult[] = [];
  for (let round = 1; round <= rounds; round += 1) {
    const result = await sendLoad({ url: gateway.url, request, seconds, connections, rate });
    results.push(result);
    log(`  round ${round} of ${rounds}, ${rate} pages/s: p50 ${result.p50Ms} ms, p99 ${result.p99Ms} ms`);
  }
  const name = (figure: string): string => `${of}: ${figure} at half of the gateway's capacity`;
  return [
    { id: 'S1', name: name('p50'), values: results.map(({ p50Ms }) => p50Ms), unit: 'ms', size },
    { id: 'S1', name: name('p99'), values: results.map(({ p99Ms }) => p99Ms), unit: 'ms', size },
  ];
};

const measureKind = async (run: Run, gateway: Gateway, url: string, kind: RecordKind): Promise<NewMeasure[]> => {
  const measures: NewMeasure[] = [];
  await setPageRecords(url, run.size, kind, Math.max(...targets.keys()) + 1);
  for (const [limit, target] of targets) {
    // One line of the chart is enough.
    if (target === null && (kind === 'short' || run.isQuick)) continue;
    const page = await readPageFixture(gateway, url, run.size, limit);
    run.log(recordsOf(kind, limit));
    const options = target === null ? { ...run, rounds: 3, seconds: 2 } : run;
    const outcomes = await compare(gateway, url, run.size, page, options);
    measures.push(...toMeasures(outcomes, run.size, kind, limit));
    if (target === null) continue;
    const capacity = median((outcomes.get('gateway') ?? []).map(({ perSecond }) => perSecond));
    measures.push(...(await measureSteady(run, gateway, page, capacity, recordsOf(kind, limit))));
  }
  return measures;
};

/** S1: list pages of the gateway against a minimal server in Node, for records of two lengths. */
export const barePages: MeasureGroup = {
  ids: ['S1'],
  measure: async (run) => {
    const url = await run.server.copy(await run.server.database(run.size));
    const gateway = await startGateway('read-gateway', url, pageScope(run.size).organizationId);
    try {
      const measures: NewMeasure[] = [];
      for (const kind of ['short', 'long'] as const) measures.push(...(await measureKind(run, gateway, url, kind)));
      return measures;
    } finally {
      await gateway.stop();
      await run.server.dropCopy(url);
    }
  },
};
