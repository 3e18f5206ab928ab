import pg from 'pg';
import { dealBody, dealSql } from '../contestants/deal.js';
import { startEarlierVersion } from '../contestants/earlier-version.js';
import { type Gateway, startGateway } from '../contestants/gateways.js';
import { pageScope } from '../contestants/page.js';
import { runPgbench } from '../contestants/pgbench.js';
import { type LoadRequest, sendLoad } from '../harness/load.js';
import type { NewMeasure } from '../harness/results.js';
import { alternate, type Contestant, ratios } from '../harness/rounds.js';
import type { MeasureGroup } from '../harness/run.js';
import { type ServerCounts, countsBetween, readCounts } from '../harness/server-counts.js';

const connections = 16;
const poolSize = 10;
/** The number of deals that are sent repeatedly. */
const repeated = 200;

/** The result of a round of writes. */
export interface WriteOutcome {
  readonly perSecond: number;
  readonly counts?: ServerCounts & { readonly calls: number };
}

/** The text of a result, for the log. */
export const describeWrites = ({ perSecond }: WriteOutcome): string => `${perSecond.toFixed(0)} calls/s`;

const dealRequest = (gateway: Gateway, body: () => string): LoadRequest => ({
  method: 'POST',
  path: '/v1/inbound/opportunities',
  headers: { ...gateway.headers, 'content-type': 'application/json' },
  body,
});

let runNumber = Date.now();

/** New deals, each with a new account and two new contacts. */
export const newDeals = (name: string, gateway: Gateway, size: number): Contestant<WriteOutcome> => ({
  name,
  run: async (seconds) => {
    const { pipelineId } = pageScope(size);
    const run = (runNumber += 1);
    let count = 0;
    const request = dealRequest(gateway, () => dealBody(pipelineId, `${run}x${(count += 1)}`));
    const { perSecond } = await sendLoad({ url: gateway.url, request, seconds, connections });
    return { perSecond };
  },
});

/** Repeats of the same deals, which change nothing. */
export const repeatedDeals = async (
  name: string,
  gateway: Gateway,
  databaseUrl: string,
  size: number,
): Promise<Contestant<WriteOutcome>> => {
  const { pipelineId } = pageScope(size);
  const run = (runNumber += 1);
  const bodies = Array.from({ length: repeated }, (_, index) => dealBody(pipelineId, `${run}x${index}`));
  for (const body of bodies) {
    const { headers, path } = dealRequest(gateway, () => body);
    const response = await fetch(`${gateway.url}${path}`, { method: 'POST', headers: { ...headers }, body });
    if (!response.ok) throw new Error(`A deal was refused: ${await response.text()}`);
  }
  let next = 0;
  const request = dealRequest(gateway, () => bodies[(next += 1) % repeated] ?? '');
  return {
    name,
    run: async (seconds) => {
      const before = await readCounts(databaseUrl);
      const { perSecond, requests } = await sendLoad({ url: gateway.url, request, seconds, connections });
      return { perSecond, counts: { ...countsBetween(before, await readCounts(databaseUrl)), calls: requests } };
    },
  };
};

/**
 * Checks that the gateway and pgbench create the same deal, except for its ids and mark.
 *
 * @throws Error if they do not
 */
const assertSameDeal = async (gateway: Gateway, databaseUrl: string, size: number, sql: string): Promise<void> => {
  const { organizationId, pipelineId } = pageScope(size);
  const { path, headers } = dealRequest(gateway, () => '');
  const mark = String((runNumber += 1));
  const body = dealBody(pipelineId, mark);
  await fetch(`${gateway.url}${path}`, { method: 'POST', headers: { ...headers }, body });
  const client = new pg.Client({ connectionString: databaseUrl });
  await client.connect();
  const other = String((runNumber += 1));
  await client.query(sql.replaceAll(':random', `'${other}'`));
  const { rows } = await client.query<{ record: string }>(
    'SELECT record FROM opportunities WHERE organization_id = $1 AND pipeline_id = $2 AND name = ANY ($3)',
    [organizationId, pipelineId, [`Deal ${mark}`, `Deal ${other}`]],
  );
  await client.end();
  const [first, second, ...more] = rows.map(({ record }) =>
    record
      .replaceAll(/(account_id|contact_id|"id)":"[0-9a-f-]{36}/g, '$1')
      .replaceAll(mark, '')
      .replaceAll(other, ''),
  );
  if (first === undefined || first !== second || more.length > 0)
    throw new Error(`pgbench does not create the same deal, so nothing was measured\n${first}\n${second}`);
};

const toMeasures = (outcomes: Map<string, WriteOutcome[]>, size: number): NewMeasure[] => {
  const of = (name: string): number[] => (outcomes.get(name) ?? []).map(({ perSecond }) => perSecond);
  const measures: NewMeasure[] = [
    { id: 'S8', name: 'new deal with account and two contacts', values: of('new'), unit: 'calls/s', size },
  ];
  if (outcomes.has('pgbench')) {
    const target = { at: 'least', value: 0.7 } as const;
    measures.push({ id: 'S8', name: 'pgbench, the same call', values: of('pgbench'), unit: 'calls/s', size });
    const values = ratios(of('new'), of('pgbench'));
    measures.push({ id: 'S8', name: 'new deal against pgbench', values, unit: '×', target, size });
  }
  if (outcomes.has('earlier')) {
    const values = ratios(of('new'), of('earlier'));
    const target = { at: 'least', value: 1.2 } as const;
    measures.push({ id: 'S8', name: 'new deal against an earlier version', values, unit: '×', target, size });
  }
  const repeats = outcomes.get('repeat');
  if (repeats !== undefined) {
    const target = { at: 'least', value: 1.5 } as const;
    const none = { at: 'most', value: 0 } as const;
    const counts = (count: (outcome: ServerCounts) => number): number[] =>
      repeats.map((outcome) => (outcome.counts === undefined ? Number.NaN : count(outcome.counts)));
    const per = 'in a round of repeats';
    measures.push(
      { id: 'S9', name: 'repeat that changes nothing', values: of('repeat'), unit: 'calls/s', size },
      { id: 'S9', name: 'repeat against new', values: ratios(of('repeat'), of('new')), unit: '×', target, size },
      { id: 'S9', name: `transaction ids ${per}`, values: counts(({ ids }) => ids), unit: '', target: none, size },
      {
        id: 'S9',
        name: `WAL flushed ${per}`,
        values: counts(({ walBytes }) => walBytes),
        unit: 'bytes',
        target: none,
        size,
      },
    );
  }
  return measures;
};

/** S8 and S9: new deals, against pgbench with the same function, and repeated deals. */
export const writes: MeasureGroup = {
  ids: ['S8', 'S9'],
  measure: async (run) => {
    const url = await run.server.copy(await run.server.database(run.size));
    const gateway = await startGateway('inbound-gateway', url, pageScope(run.size).organizationId);
    const earlier =
      run.against === null || !run.wants('S8') ? null : await startEarlierVersion(run.against, run.size, run.log);
    try {
      const sql = await dealSql(url, run.size);
      await assertSameDeal(gateway, url, run.size, sql);
      const contestants = [newDeals('new', gateway, run.size)];
      const pgbench = async (seconds: number): Promise<WriteOutcome> => ({
        perSecond: await runPgbench({ databaseUrl: url, sql, seconds, connections: poolSize }),
      });
      if (run.wants('S8')) contestants.push({ name: 'pgbench', run: pgbench });
      if (earlier !== null) contestants.push(newDeals('earlier', earlier.gateway, run.size));
      if (run.wants('S9')) contestants.push(await repeatedDeals('repeat', gateway, url, run.size));
      run.log('Writes');
      return toMeasures(await alternate(contestants, run, describeWrites), run.size);
    } finally {
      await earlier?.stop();
      await gateway.stop();
      await run.server.dropCopy(url);
    }
  },
};
