import pg from 'pg';
import { dealBody, dealSql } from '../contestants/deal.js';
import { connections, poolSize, readBody, startPeer } from '../contestants/contestant-set.js';
import { startEarlierVersion } from '../contestants/earlier-version.js';
import { type Gateway, startGateway } from '../contestants/gateways.js';
import { pageScope } from '../contestants/page.js';
import { runPgbench } from '../contestants/pgbench.js';
import { type LoadRequest, sendLoad } from '../harness/load.js';
import type { NewMeasure, Target } from '../harness/results.js';
import { alternate, type Contestant, ratios } from '../harness/rounds.js';
import type { MeasureGroup } from '../harness/run.js';
import { type ServerCounts, countsBetween, readCounts } from '../harness/server-counts.js';

/** The number of deals that are sent repeatedly. */
const repeated = 200;

const dealRequest = (gateway: Gateway, size: number, mark: string): LoadRequest => ({
  method: 'POST',
  path: '/v1/inbound/opportunities',
  headers: { ...gateway.headers, 'content-type': 'application/json' },
  body: dealBody(pageScope(size).pipelineId, mark),
});

let runNumber = Date.now();

/** New deals, each with a new account and two new contacts. */
const newDeals = (name: string, gateway: Gateway, size: number): Contestant => ({
  name,
  run: (seconds) => {
    const request = dealRequest(gateway, size, `${(runNumber += 1)}x{n}`);
    return sendLoad({ url: gateway.url, request, seconds, connections });
  },
});

/** Repeats of the same deals, which change nothing. Each round adds what it wrote to `counts`. */
const repeatedDeals = async (
  gateway: Gateway,
  databaseUrl: string,
  size: number,
  counts: ServerCounts[],
): Promise<Contestant> => {
  const request = { ...dealRequest(gateway, size, `${(runNumber += 1)}x{n}`), bodies: repeated };
  for (let n = 0; n < repeated; n += 1)
    await readBody(gateway, { ...request, body: request.body?.replaceAll('{n}', String(n)) ?? '' });
  return {
    name: 'repeat',
    run: async (seconds) => {
      const before = await readCounts(databaseUrl);
      const rate = await sendLoad({ url: gateway.url, request, seconds, connections });
      counts.push(countsBetween(before, await readCounts(databaseUrl)));
      return rate;
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
  const mark = String((runNumber += 1));
  await readBody(gateway, dealRequest(gateway, size, mark));
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

const toMeasures = (rates: Map<string, number[]>, counts: readonly ServerCounts[], size: number): NewMeasure[] => {
  const of = (name: string): number[] => rates.get(name) ?? [];
  const measures: NewMeasure[] = [];
  const add = (name: string, values: readonly number[], unit: string, target?: Target): void => {
    const id = name.includes('repeat') ? 'S9' : name.includes('Prisma') ? 'S19' : 'S8';
    measures.push({ id, name, values, unit, target, size });
  };
  add('new deal with account and two contacts', of('new'), 'calls/s');
  if (rates.has('pgbench')) {
    add('pgbench, the same call', of('pgbench'), 'calls/s');
    add('new deal against pgbench', ratios(of('new'), of('pgbench')), '×', { at: 'least', value: 0.8 });
  }
  if (rates.has('earlier')) {
    const target = { at: 'least', value: 1.15 } as const;
    add('new deal against an earlier version', ratios(of('new'), of('earlier')), '×', target);
  }
  if (rates.has('prisma')) {
    add('Express and Prisma, the same upserts', of('prisma'), 'calls/s');
    add('new deal against Express and Prisma', ratios(of('new'), of('prisma')), '×', { at: 'least', value: 4 });
  }
  if (rates.has('repeat')) {
    const none = { at: 'most', value: 0 } as const;
    add('repeat that changes nothing', of('repeat'), 'calls/s');
    add('repeat against new', ratios(of('repeat'), of('new')), '×', { at: 'least', value: 1.5 });
    const ids = counts.map((round) => round.ids);
    add('transaction ids in a round of repeats', ids, '', none);
    const walBytes = counts.map((round) => round.walBytes);
    add('WAL flushed in a round of repeats', walBytes, 'bytes', none);
  }
  return measures;
};

/** S8, S9 and S19: new deals, against pgbench with the same function and against Prisma, and repeated deals. */
export const writes: MeasureGroup = {
  ids: ['S8', 'S9', 'S19'],
  measure: async (run) => {
    const url = await run.server.copy(await run.server.database(run.size));
    const gateway = await startGateway('inbound-gateway', url, pageScope(run.size).organizationId);
    const earlier =
      run.against === null || !run.wants('S8') ? null : await startEarlierVersion(run.against, run.size, run.log);
    const environment = { DATABASE_URL: url, ORGANIZATION_ID: pageScope(run.size).organizationId };
    const prisma = run.wants('S19') ? await startPeer('prisma-create-server', environment, '/ready') : null;
    try {
      const sql = await dealSql(url, run.size);
      await assertSameDeal(gateway, url, run.size, sql);
      const counts: ServerCounts[] = [];
      const contestants = [newDeals('new', gateway, run.size)];
      const pgbench: Contestant = {
        name: 'pgbench',
        run: (seconds) => runPgbench({ databaseUrl: url, sql, seconds, connections: poolSize }),
      };
      if (run.wants('S8')) contestants.push(pgbench);
      if (earlier !== null) contestants.push(newDeals('earlier', earlier.gateway, run.size));
      if (prisma !== null) contestants.push(newDeals('prisma', { ...prisma, headers: {} }, run.size));
      if (run.wants('S9')) contestants.push(await repeatedDeals(gateway, url, run.size, counts));
      run.log('Writes');
      return toMeasures(await alternate(contestants, run), counts, run.size);
    } finally {
      await earlier?.stop();
      await prisma?.stop();
      await gateway.stop();
      await run.server.dropCopy(url);
    }
  },
};
