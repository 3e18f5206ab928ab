import { setTimeout as sleep } from 'node:timers/promises';
import { dealRequest, dealSql } from '../contestants/deal.js';
import { startPeer } from '../contestants/bare-server.js';
import { startEarlierVersion } from '../contestants/earlier-version.js';
import { type Gateway, send, withGateway } from '../contestants/gateways.js';
import { organizationLayout } from '../dataset/layout.js';
import type { Figure } from '../harness/figures.js';
import { runPgbench, sendLoad } from '../harness/programs.js';
import { compare, type Contestant } from '../harness/rounds.js';
import { type MeasureGroup, type Run, withCopy } from '../harness/run.js';
import { withClient } from '../harness/with-client.js';
import { withSubject } from '../query-plans/measure-shape.js';

const what = 'new deal with account and two contacts';
/** The number of deals that are sent repeatedly. */
const repeated = 200;
/** The connections in the pool of a gateway. */
const poolSize = 10;

let runNumber = Date.now();
const nextMark = (): string => String((runNumber += 1));

/** New deals, each with a new account and two new contacts. */
const newDeals = (name: string, gateway: Gateway, pipelineId: string): Contestant => ({
  name,
  run: (seconds) => sendLoad(gateway.url, dealRequest(gateway, pipelineId, `${nextMark()}x{n}`), seconds),
});

/** The assigned transaction ids of a server, and the bytes of the write-ahead log that are flushed to disk. */
const readCounts = (databaseUrl: string): Promise<{ readonly ids: number; readonly walBytes: number }> =>
  withClient(databaseUrl, async (client) => {
    const { rows } = await client.query<{ ids: string; wal: string }>(
      `SELECT pg_snapshot_xmax(pg_current_snapshot())::text AS ids, (pg_current_wal_flush_lsn() - '0/0')::text AS wal`,
    );
    return { ids: Number(rows[0]?.ids), walBytes: Number(rows[0]?.wal) };
  });

/**
 * Checks that the gateway and pgbench create the same deal, except for its ids and mark.
 * @throws Error if they do not
 */
const assertSameDeal = async (gateway: Gateway, url: string, pipelineId: string, sql: string): Promise<void> => {
  const marks = [nextMark(), nextMark()] as const;
  await send(gateway, dealRequest(gateway, pipelineId, marks[0]));
  const records = await withClient(url, async (client) => {
    await client.query(sql.replaceAll(':random', `'${marks[1]}'`));
    const text = 'SELECT record FROM opportunities WHERE pipeline_id = $1 AND name = ANY ($2)';
    const names = marks.map((mark) => `Deal ${mark}`);
    return (await client.query<{ record: string }>(text, [pipelineId, names])).rows.map(({ record }) => record);
  });
  const incidental = new RegExp(`(account_id|contact_id|"id)":"[0-9a-f-]{36}|${marks.join('|')}`, 'g');
  const [first, second] = records.map((record) => record.replaceAll(incidental, '$1'));
  if (first === undefined || first !== second)
    throw new Error(`pgbench does not create the same deal, so nothing was measured\n${first}\n${second}`);
};

const measureRepeats = async (run: Run, gateway: Gateway, url: string, pipelineId: string) => {
  const request = { ...dealRequest(gateway, pipelineId, `${nextMark()}x{n}`), bodies: repeated };
  for (let n = 0; n < repeated; n += 1)
    await send(gateway, { ...request, body: request.body.replaceAll('{n}', String(n)) });
  const ids: number[] = [];
  const walBytes: number[] = [];
  const repeats: Contestant = {
    name: 'repeated',
    run: async (seconds) => {
      // wrk ends while the gateway still runs the last calls of the other contestant.
      await sleep(1_000);
      const before = await readCounts(url);
      const rate = await sendLoad(gateway.url, request, seconds);
      const after = await readCounts(url);
      ids.push(after.ids - before.ids);
      walBytes.push(after.walBytes - before.walBytes);
      return rate;
    },
  };
  const { size } = run;
  const none = { id: 'S9', atMost: 0, size };
  return [
    ...(await compare(run, { id: 'S9', what: 'deal', unit: 'calls/s', size, atLeast: 1.5 }, [
      repeats,
      newDeals('new', gateway, pipelineId),
    ])),
    { ...none, name: 'transaction ids in a round of repeats', values: ids, unit: '' },
    { ...none, name: 'WAL flushed in a round of repeats', values: walBytes, unit: 'bytes' },
  ];
};

const measureWrites = async (run: Run, gateway: Gateway, url: string): Promise<Figure[]> => {
  const { size, against } = run;
  const { id: organizationId, pipelineIds } = organizationLayout(1, size);
  const [pipelineId] = pipelineIds;
  const ours = newDeals('gateway', gateway, pipelineId);
  const figures: Figure[] = [];
  const addComparison = async (id: string, atLeast: number, theirs: Contestant): Promise<void> => {
    figures.push(...(await compare(run, { id, what, unit: 'calls/s', size, atLeast }, [ours, theirs])));
  };
  if (run.wants('S8')) {
    const sql = await withSubject(url, size, ({ setup }) => Promise.resolve(dealSql(setup, pipelineId)));
    await assertSameDeal(gateway, url, pipelineId, sql);
    await addComparison('S8', 0.8, {
      name: 'pgbench',
      run: (seconds) => runPgbench({ databaseUrl: url, sql: [sql], seconds, connections: poolSize }),
    });
  }
  if (run.wants('S8') && against !== undefined) {
    const earlier = await startEarlierVersion(against, size, run.log);
    await addComparison('S8', 1.15, newDeals('an earlier version', earlier.gateway, pipelineId));
    await earlier.stop();
  }
  if (run.wants('S9')) figures.push(...(await measureRepeats(run, gateway, url, pipelineId)));
  if (run.wants('S19')) {
    const environment = { DATABASE_URL: url, ORGANIZATION_ID: organizationId };
    const prisma = await startPeer('prisma-create-server', environment, '/ready');
    const { headers } = gateway;
    await addComparison('S19', 4, newDeals('Express and Prisma', { ...prisma, headers }, pipelineId));
    await prisma.stop();
  }
  return figures;
};

/** S8, S9 and S19: new deals, against pgbench with the same function and against Prisma, and repeated deals. */
export const writes: MeasureGroup = {
  ids: ['S8', 'S9', 'S19'],
  measure: (run) =>
    withCopy(run, run.size, (url) =>
      withGateway('inbound-gateway', url, organizationLayout(1, run.size).id, (gateway) =>
        measureWrites(run, gateway, url),
      ),
    ),
};
