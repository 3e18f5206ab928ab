/** @needs postgresql */
import { setTimeout as sleep } from 'node:timers/promises';
import * as contracts from '@crm/contract';
import { type AdministrationDatabase, migrate, openAdministrationDatabase } from '@crm/db';
import { shareOf } from '@crm/http';
import {
  createTestClient,
  findFreePort,
  type GatewayProcess,
  reportFigure,
  type ReplicatedPostgres,
  startGatewayProcess,
  startReplicatedPostgres,
  type TestClient,
  type TestOrganization,
  testSize,
  until,
} from '@crm/testing';
import { afterAll, beforeAll, describe, expect, test } from '@jest/globals';
import { copyRecord } from './support/bulk-rows.js';
import { readMetrics, sampleOf } from './support/metrics.js';
import { fillLargeOrganization } from './support/large-organization.js';
import { type Attack, attacks, startAttack } from './support/noisy-attacks.js';
import { createTestOrganization } from '@crm/testing/suites';
import { addRecord } from './support/subject.js';

const measuredMs = testSize({ short: 1_000, soak: 60_000 });
/** The first requests of a process compile code. */
const warmUpMs = testSize({ short: 1_000, soak: 5_000 });
const accounts = testSize({ short: 5_000, soak: 200_000 });
/** Notes of 50,000 emoji each: 100 MB. */
const longNotes = 500;
const defaultBytesInFlight = 64 * 1024 * 1024;
const defaultConnections = 10;
/** The share of one organization while others are active: as many connections as are outside its maximum share. */
const shareBesideOthers = defaultConnections - shareOf(defaultConnections);
/** Connections of the other organization and of the gateway itself. */
const otherConnections = 2;

let servers: ReplicatedPostgres;
let database: AdministrationDatabase;
/** The noisy organization, and the one whose requests are measured. */
let noisy: TestOrganization;
/** Another noisy organization, with the largest records, and its attacks. */
let large: TestOrganization;
let largeAttacks: readonly (readonly [string, Attack])[];
let quiet: TestOrganization;
let gateways: GatewayProcess[] = [];
/** The ports of the gateways' metrics. */
let adminPorts: readonly [number, number];
let read: TestClient;
let inbound: TestClient;

const fillNoisy = async (): Promise<void> => {
  const text = `INSERT INTO notes (organization_id, id, title, content, search_text, created_at, updated_at)
    SELECT $1, gen_random_uuid(), 'Long', repeat('😀', 50000), 'long', now(), now() FROM generate_series(1, $2::int)`;
  await database.query(noisy.id, { text, values: [longNotes] });
  const id = await addRecord(database, noisy, 'account', { key: 'a', name: 'Acme' });
  const columns = { domain: `'copy-' || n || '.example'`, name: `md5(n::text)`, normalized_name: `md5(n::text)` };
  await copyRecord(database, noisy.id, { objectType: 'account', id, count: accounts, columns });
};

beforeAll(async () => {
  servers = await startReplicatedPostgres();
  await migrate(servers.primaryUrl);
  database = openAdministrationDatabase({
    url: servers.primaryUrl,
    applicationName: 'noisy-test',
    statementTimeoutMs: 0,
  });
  noisy = await createTestOrganization(database);
  quiet = await createTestOrganization(database);
  await fillNoisy();
  large = await createTestOrganization(database);
  largeAttacks = await fillLargeOrganization(database, large);
  adminPorts = [await findFreePort(), await findFreePort()];
  // All limits have their defaults.
  const environment = { DATABASE_URL: servers.primaryUrl, LOG_LEVEL: 'error', CURSOR_SECRETS: 'a secret of this test' };
  const readEnvironment = { ...environment, READ_DATABASE_URL: servers.replicaUrl, ADMIN_PORT: String(adminPorts[0]) };
  const inboundEnvironment = { ...environment, ADMIN_PORT: String(adminPorts[1]) };
  const started = [
    await startGatewayProcess('read-gateway', readEnvironment),
    await startGatewayProcess('inbound-gateway', inboundEnvironment),
  ] as const;
  gateways = [...started];
  read = createTestClient(started[0].url, quiet.key);
  inbound = createTestClient(started[1].url, quiet.key);
}, 300_000);
afterAll(async () => {
  await Promise.all(gateways.map((gateway) => gateway.stop()));
  await database.close();
  await servers.stop();
});

const percentile = (values: readonly number[], share: number): number =>
  Math.round(values.toSorted((a, b) => a - b)[Math.floor(values.length * share)] ?? 0);

let written = 0;

/** Reads the metrics of the gateways. */
const sampleGateways = async () => {
  const [reading, writing] = [await readMetrics(adminPorts[0]), await readMetrics(adminPorts[1])];
  const inUse = (pool: string): number =>
    sampleOf(reading, 'crm_database_pool_connections', { pool }) -
    sampleOf(reading, 'crm_database_pool_idle_connections', { pool });
  return {
    bytesInFlight: sampleOf(reading, 'crm_answer_bytes_in_flight'),
    memory: sampleOf(reading, 'process_resident_memory_bytes'),
    connections: Math.max(inUse('primary'), inUse('replica')),
    shed: sampleOf(reading, 'crm_requests_shed_total'),
    holdUpMs: 1_000 * Math.max(...[reading, writing].map((page) => sampleOf(page, 'nodejs_eventloop_lag_max_seconds'))),
  };
};

type Sample = Awaited<ReturnType<typeof sampleGateways>>;

/** Measures the quiet organization during an attack: repeatedly a read and a write. */
const measure = async (forMs = measuredMs) => {
  const tookMs: number[] = [];
  const statuses: number[] = [];
  const livezMs: number[] = [];
  const samples: Sample[] = [];
  const endsAtMs = performance.now() + forMs;
  while (performance.now() < endsAtMs) {
    for (const call of [
      () => read.call(contracts.listAccounts, { query: { limit: 50 } }),
      () => inbound.call(contracts.createAccount, { body: { domain: `quiet${(written += 1)}.example` } }),
    ]) {
      const startedAtMs = performance.now();
      const { status } = await call();
      tookMs.push(performance.now() - startedAtMs);
      statuses.push(status);
    }
    for (const { url } of gateways) {
      const startedAtMs = performance.now();
      await fetch(`${url}/livez`);
      livezMs.push(performance.now() - startedAtMs);
    }
    samples.push(await sampleGateways());
    await sleep(50);
  }
  const most = (name: keyof Sample): number => Math.round(Math.max(...samples.map((sample) => sample[name])));
  return {
    p99Ms: percentile(tookMs, 0.99),
    livezMs: Math.round(Math.max(...livezMs)),
    refused: statuses.filter((status) => status !== 200).length,
    count: statuses.length,
    mostBytes: most('bytesInFlight'),
    mostMemory: most('memory'),
    holdUpMs: most('holdUpMs'),
  };
};

/** Runs `work` while the noisy organization attacks. @returns also how often the attacker got each status */
const during = async <T>(attack: Attack, work: () => Promise<T>) => {
  const { url } = gateways[attack.gateway === 'read' ? 0 : 1] ?? { url: '' };
  // A new key, because the attack before has used up part of the limits of its own key.
  const { key } = await (attack.isLarge === true ? large : noisy).createKey();
  const running = startAttack(attack, Number(new URL(url).port), key);
  await running.begun;
  // Long enough for all of its connections to be busy.
  await sleep(500);
  const result = await work();
  // A request may take longer than the work, but all are answered.
  await until(() => running.isAnswered());
  return { result, statuses: await running.end() };
};

/**
 * Runs an attack of searches while the table that they read is locked, so that each waits, on a machine of any speed. Ends when the
 * gateway has refused some of them.
 * @returns the connections in use then, and the answers to another organization
 */
const holdSearches = async (attack: Attack) => {
  const holder = await database.pool.connect();
  try {
    await holder.query('BEGIN; LOCK TABLE accounts IN ACCESS EXCLUSIVE MODE');
    const { shed } = await sampleGateways();
    const { result } = await during(attack, async () => {
      await until(async () => (await sampleGateways()).shed > shed);
      const { connections } = await sampleGateways();
      const answers = [];
      for (let count = 0; count < 3; count += 1) answers.push(await read.call(contracts.listContacts));
      return { connections, statuses: answers.map(({ status }) => status) };
    });
    return result;
  } finally {
    await holder.query('ROLLBACK');
    holder.release();
  }
};

/** The X-Read-After token of a write of the noisy organization. */
const readAfter = async (): Promise<string> => {
  const body = { domain: 'mark.example' };
  const answer = await inbound.call(contracts.createAccount, { body, key: noisy.key });
  return answer.headers.get('x-read-after') ?? '';
};

describe('R31: an organization that uses its default limits to the full', () => {
  let aloneMs: number;

  beforeAll(async () => {
    await measure(warmUpMs);
    aloneMs = (await measure()).p99Ms;
    reportFigure('R31', 'p99 of an organization alone, ms', aloneMs, 'printed');
  });

  const report = async (what: string, attack: Attack) => {
    const { result, statuses } = await during(attack, measure);
    const ratio = (result.p99Ms / Math.max(1, aloneMs)).toFixed(1);
    reportFigure('R31', `p99 of another organization, ms, during ${what}`, result.p99Ms, '<= 250, printed');
    reportFigure('R31', `the same, times that of it alone, during ${what}`, ratio, '<= 3, printed');
    reportFigure('R31', `refused of ${result.count} requests of another, during ${what}`, result.refused, 0);
    reportFigure('R31', `the slowest /livez, ms, during ${what}`, result.livezMs, '<= 250, printed');
    reportFigure('R9', `longest hold-up of an event loop, ms, during ${what}`, result.holdUpMs, '< 50, printed');
    const [bytes, memory] = [result.mostBytes, result.mostMemory].map((size) => Math.round(size / 1024 / 1024));
    process.stdout.write(
      `answered to it: ${JSON.stringify(statuses)}; ${bytes} MB of answers, ${memory} MB of memory\n`,
    );
    // A request that hangs is refused: the gateway ends each wait for a connection, for a lock and for the server.
    expect(result.refused).toBe(0);
    expect(result.mostBytes).toBeLessThanOrEqual(shareOf(defaultBytesInFlight));
    return result;
  };

  test('by bytes causes no refusal for another organization', async () => {
    for (const [what, attack] of largeAttacks) await report(what, attack);
  }, 600_000);

  test.each(attacks)('with %s causes no refusal for another organization', async (what, attack) => {
    const context = { pipelineId: noisy.pipeline.id, readAfter };
    const result = await report(what, await attack(context));
    if (what.startsWith('260')) {
      const { connections, statuses } = await holdSearches(await attack(context));
      expect(connections).toBeLessThanOrEqual(shareBesideOthers + otherConnections);
      expect(statuses).toEqual([200, 200, 200]);
    }
    if (what.startsWith('pages')) expect(result.mostBytes).toBeGreaterThan(shareOf(defaultBytesInFlight) / 2);
  });
});
