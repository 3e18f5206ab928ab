/** @needs postgresql */
import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { setTimeout as sleep } from 'node:timers/promises';
import * as contracts from '@crm/contract';
import { type Database, migrate, openDatabase } from '@crm/db';
import { shareOf } from '@crm/domain';
import {
  createTestClient,
  createTestOrganization,
  findFreePort,
  type GatewayProcess,
  reportFigure,
  type ReplicatedPostgres,
  startGatewayProcess,
  startReplicatedPostgres,
  type TestClient,
  type TestOrganization,
  testSize,
} from '@crm/testing';
import { afterAll, beforeAll, describe, expect, test } from '@jest/globals';
import { copyRecord } from './support/bulk-rows.js';
import { readMetrics, sampleOf } from './support/metrics.js';
import { organizationTools } from './support/organization-tools.js';
import { addRecord } from './support/subject.js';

const mainFile = (gateway: string): string => new URL(`../../${gateway}/dist/main.js`, import.meta.url).pathname;
const attackFile = new URL('./support/attack.mjs', import.meta.url).pathname;

const measuredMs = testSize({ short: 5_000, soak: 60_000 });
const accounts = testSize({ short: 20_000, soak: 200_000 });
/** Of 50,000 emoji each: 100 MB. */
const longNotes = 500;
/** Ten times what is required of the slowest hundredth. */
const hangGuardMs = 2_500;
const defaultBytesInFlight = 128 * 1024 * 1024;

let servers: ReplicatedPostgres;
let database: Database;
/** The noisy organization, and the one that is measured. */
let noisy: TestOrganization;
let quiet: TestOrganization;
let gateways: GatewayProcess[] = [];
let adminPort: number;
let read: TestClient;
let inbound: TestClient;

const fillNoisy = async (): Promise<void> => {
  const text = `INSERT INTO notes (organization_id, id, title, content, created_at)
    SELECT $1, gen_random_uuid(), 'Long', repeat('😀', 50000), now() FROM generate_series(1, $2::int)`;
  await database.query(noisy.id, { text, values: [longNotes] });
  const id = await addRecord(database, noisy, 'account', { key: 'a', name: 'Acme' });
  const columns = { domain: `'copy-' || n || '.example'`, name: `md5(n::text)`, name_fold: `md5(n::text)` };
  await copyRecord(database, noisy.id, { objectType: 'account', id, count: accounts, columns });
};

beforeAll(async () => {
  servers = await startReplicatedPostgres();
  await migrate(servers.primaryUrl);
  database = openDatabase({ url: servers.primaryUrl, applicationName: 'noisy-test', statementTimeoutMs: 0 });
  [noisy, quiet] = [
    await createTestOrganization(organizationTools(database)),
    await createTestOrganization(organizationTools(database)),
  ];
  await fillNoisy();
  adminPort = await findFreePort();
  // All limits are the default ones.
  const environment = { DATABASE_URL: servers.primaryUrl, LOG_LEVEL: 'error', CURSOR_SECRETS: 'a secret of this test' };
  const readEnvironment = { ...environment, READ_DATABASE_URL: servers.replicaUrl, ADMIN_PORT: String(adminPort) };
  const started = [
    await startGatewayProcess(mainFile('read-gateway'), readEnvironment),
    await startGatewayProcess(mainFile('inbound-gateway'), environment),
  ] as const;
  gateways = [...started];
  read = createTestClient(started[0].url, contracts.readOperations, quiet.key);
  inbound = createTestClient(started[1].url, contracts.inboundOperations, quiet.key);
});
afterAll(async () => {
  await Promise.all(gateways.map((gateway) => gateway.stop()));
  await database.close();
  await servers.stop();
});

const percentile = (values: readonly number[], share: number): number =>
  Math.round(values.toSorted((a, b) => a - b)[Math.floor(values.length * share)] ?? 0);

let written = 0;

/** What the quiet organization meets while something else goes on: a read and a write, again and again. */
const measure = async () => {
  const tookMs: number[] = [];
  const statuses: number[] = [];
  const [bytesInFlight, memory]: number[][] = [[], []];
  const endsAtMs = performance.now() + measuredMs;
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
    const metrics = await readMetrics(adminPort);
    bytesInFlight?.push(sampleOf(metrics, 'crm_answer_bytes_in_flight'));
    memory?.push(sampleOf(metrics, 'process_resident_memory_bytes'));
    await sleep(50);
  }
  return {
    p99Ms: percentile(tookMs, 0.99),
    medianMs: percentile(tookMs, 0.5),
    refused: statuses.filter((status) => status !== 200).length,
    count: statuses.length,
    mostBytes: Math.max(...(bytesInFlight ?? [])),
    mostMemory: Math.max(...(memory ?? [])),
  };
};

interface Attack {
  readonly gateway: 'read' | 'inbound';
  readonly path: string;
  readonly body?: unknown;
  readonly headers?: Readonly<Record<string, string>>;
  readonly connections: number;
  readonly isSlow?: boolean;
}

/** Runs `work` while the noisy organization attacks. @returns how often each status was answered to it, too */
const during = async <T>({ gateway, body, headers, ...attack }: Attack, work: () => Promise<T>) => {
  const child = spawn(process.execPath, [attackFile], { stdio: ['pipe', 'pipe', 'inherit'] });
  const exited = once(child, 'exit');
  let output = '';
  child.stdout.on('data', (chunk: Buffer) => (output += chunk.toString()));
  const { url } = gateways[gateway === 'read' ? 0 : 1] ?? { url: '' };
  const sent = {
    ...attack,
    port: Number(new URL(url).port),
    method: body === undefined ? 'GET' : 'POST',
    headers: {
      // One of its own: what the attack before has spent of the limits is none of this one's.
      'X-Api-Key': (await noisy.createKey()).key,
      ...(body === undefined ? {} : { 'Content-Type': 'application/json' }),
      ...headers,
    },
    ...(body === undefined ? {} : { body: JSON.stringify(body) }),
  };
  child.stdin.write(`${JSON.stringify(sent)}\n`);
  // Long enough that all of its connections are at work.
  await sleep(500);
  const result = await work();
  child.stdin.end();
  await exited;
  return { result, statuses: JSON.parse(output) as Readonly<Record<string, number>> };
};

const markOf = async (): Promise<string> => {
  const body = { domain: 'mark.example' };
  const answer = await inbound.call(contracts.createAccount, { body, key: noisy.key });
  return answer.headers.get('x-read-after') ?? '';
};

/** Marks of different classes by turns, which normalising has to sort. */
const marks = '\u0301\u0323'.repeat(1_000);
const bomb = {
  note: { title: 'Bomb', content: `a${marks}` },
  contact_emails: Array.from({ length: 25 }, (_, index) => `a${index}${marks}@bomb.example`),
  account_domains: Array.from({ length: 25 }, (_, index) => `a${index}${marks}.example`),
};

const costlySearch = {
  filters: {
    or: Array.from({ length: 50 }, (_, index) => ({ field: 'name', operator: 'contains', value: `z${index}y` })),
  },
  sort: 'industry',
};

const unknownKeys = {
  items: Array.from({ length: 100 }, (_, item) => ({
    email: `x${item}@y.com`,
    ...Object.fromEntries(Array.from({ length: 1_000 }, (_value, index) => [`${'unknown'.repeat(4)}${index}`, 1])),
  })),
};

describe('R31: an organization that does its worst at its default limits', () => {
  const attacks: readonly (readonly [string, () => Promise<Attack>])[] = [
    [
      'bodies of combining marks',
      async () => ({ gateway: 'inbound', path: '/v1/inbound/notes', body: bomb, connections: 20 }),
    ],
    [
      'pages of 100 MB to slow readers',
      async () => ({ gateway: 'read', path: '/v1/notes?limit=500', connections: 60, isSlow: true }),
    ],
    [
      '260 costly searches',
      async () => ({ gateway: 'read', path: '/v1/accounts/search', body: costlySearch, connections: 260 }),
    ],
    [
      '260 costly searches with X-Read-After',
      async () => ({
        gateway: 'read',
        path: '/v1/accounts/search',
        body: costlySearch,
        headers: { 'X-Read-After': await markOf() },
        connections: 260,
      }),
    ],
    [
      'bulk bodies of unknown keys',
      async () => ({ gateway: 'inbound', path: '/v1/inbound/contacts/bulk', body: unknownKeys, connections: 20 }),
    ],
  ];
  let aloneMs: number;

  beforeAll(async () => {
    // The first requests of a process compile what they run.
    await measure();
    aloneMs = (await measure()).p99Ms;
    reportFigure('R31', 'p99 of an organization alone, ms', aloneMs, 'printed');
  });

  test.each(attacks)('with %s costs another one no answer', async (what, attack) => {
    const { result, statuses } = await during(await attack(), measure);
    const ratio = (result.p99Ms / Math.max(1, aloneMs)).toFixed(1);
    reportFigure('R31', `p99 of another organization, ms, during ${what}`, result.p99Ms, '<= 250, printed');
    reportFigure('R31', `the same, times that of it alone, during ${what}`, ratio, '<= 3, printed');
    reportFigure('R31', `refused of ${result.count} requests of another, during ${what}`, result.refused, 0);
    const [bytes, memory] = [result.mostBytes, result.mostMemory].map((size) => Math.round(size / 1024 / 1024));
    process.stdout.write(
      `answered to it: ${JSON.stringify(statuses)}; ${bytes} MB of answers, ${memory} MB of memory\n`,
    );
    expect(result.refused).toBe(0);
    expect(result.mostBytes).toBeLessThanOrEqual(shareOf(defaultBytesInFlight));
    expect(result.medianMs).toBeLessThan(hangGuardMs);
    if (what.startsWith('260')) expect(statuses['503']).toBeGreaterThan(0);
    if (what.startsWith('pages')) expect(result.mostBytes).toBeGreaterThan(shareOf(defaultBytesInFlight) / 2);
  });
});
