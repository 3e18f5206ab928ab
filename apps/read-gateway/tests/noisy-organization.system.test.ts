import { fork } from 'node:child_process';
import { once } from 'node:events';
import { setTimeout as sleep } from 'node:timers/promises';
import * as contracts from '@crm/contract';
import { shareOf } from '@crm/http';
import {
  createTestClient,
  findFreePort,
  type GatewayProcess,
  reportFigure,
  startGatewayProcess,
  type TestClient,
  testSize,
  urlForRole,
} from '@crm/testing';
import { afterAll, beforeAll, describe, expect, test } from '@jest/globals';
import { gatewayMains } from './support/counted-gateways.js';
import { startOwnGateway, useGateway } from './support/gateway.js';
import { readMetrics, sampleOf } from './support/metrics.js';

const measuredMs = testSize({ short: 2_000, soak: 60_000 });
/** Notes of 50,000 emoji each: 100 MB. */
const longNotes = 500;
const searchedAccounts = testSize({ short: 5_000, soak: 200_000 });
/** Ten times the required 99th percentile. */
const hangGuardMs = 2_500;
const defaultBytesInFlight = 128 * 1024 * 1024;

/** The requests that an organization sends again and again. */
interface Attack {
  readonly gateway: 'read' | 'inbound';
  readonly path: string;
  readonly body?: object;
  readonly connections: number;
  /** Whether it reads answers slowly. */
  readonly isSlow?: boolean;
}

const numbers = (count: number): readonly number[] => Array.from({ length: count }, (_, index) => index);
const costlyFilters = numbers(50).map((index) => ({ field: 'name', operator: 'contains', value: `z${index}y` }));
/** All emails differ. Each item is refused only for its owner, after all of its emails were parsed. */
const internationalised = (item: number) => ({
  pipeline_id: gateway.organization.pipeline.id,
  opportunity: { name: `Deal ${item}` },
  related_objects: {
    owner_email: 'nobody@bomb.example',
    additional_contact_emails: numbers(100).map((index) => `a@${'äöüß'.repeat(5)}${item}-${index}.de`),
  },
});
const attacks: readonly (readonly [string, () => Attack])[] = [
  [
    'pages of 100 MB to slow readers',
    () => ({ gateway: 'read', path: '/v1/notes?limit=500', connections: 60, isSlow: true }),
  ],
  [
    '260 costly searches',
    () => ({
      ...{ gateway: 'read', path: '/v1/accounts/search', connections: 260 },
      body: { filters: { or: costlyFilters }, sort: 'industry' },
    }),
  ],
  [
    'bulk bodies of 10,000 internationalised emails',
    () => ({
      ...{ gateway: 'inbound', path: '/v1/inbound/opportunities/bulk', connections: 20 },
      body: { items: numbers(100).map(internationalised) },
    }),
  ],
];

const gateway = useGateway(startOwnGateway);
let processes: readonly GatewayProcess[] = [];
let adminPort: number;
let read: TestClient;
let inbound: TestClient;

beforeAll(async () => {
  const text = `INSERT INTO notes (organization_id, id, title, content, search_text, created_at, updated_at)
    SELECT $1, gen_random_uuid(), 'Long', repeat('😀', 50000), 'long', now(), now() FROM generate_series(1, $2::int)`;
  await gateway.database.query(gateway.organization.id, { text, values: [longNotes] });
  const accounts = `INSERT INTO accounts (organization_id, id, domain, name, normalized_name, search_text, created_at, updated_at)
    SELECT $1, gen_random_uuid(), n || '.example', md5(n::text), md5(n::text), md5(n::text), now(), now() FROM generate_series(1, $2::int) n`;
  await gateway.database.query(gateway.organization.id, { text: accounts, values: [searchedAccounts] });
  adminPort = await findFreePort();
  // All limits have their defaults.
  const common = { LOG_LEVEL: 'error', CURSOR_SECRETS: 'a secret of this test' };
  processes = await Promise.all(
    (['read', 'inbound'] as const).map((kind, index) =>
      startGatewayProcess(gatewayMains[index] ?? '', {
        ...{ ...common, DATABASE_URL: urlForRole(gateway.databaseUrl, kind) },
        ...(kind === 'read' && { ADMIN_PORT: String(adminPort) }),
      }),
    ),
  );
  const { key } = gateway.stranger;
  read = createTestClient(processes[0]?.url ?? '', contracts.readOperations, key);
  inbound = createTestClient(processes[1]?.url ?? '', contracts.inboundOperations, key);
});
afterAll(() => Promise.all(processes.map((one) => one.stop())));

let written = 0;

/** Measures the other organization: repeatedly a read and a write. */
const measure = async () => {
  const tookMs: number[] = [];
  let refused = 0;
  let mostBytes = 0;
  const endsAtMs = performance.now() + measuredMs;
  while (performance.now() < endsAtMs) {
    for (const call of [
      () => read.call(contracts.listAccounts, { query: { limit: 50 } }),
      () => inbound.call(contracts.createAccount, { body: { domain: `quiet${(written += 1)}.example` } }),
    ]) {
      const startedAtMs = performance.now();
      if ((await call()).status !== 200) refused += 1;
      tookMs.push(performance.now() - startedAtMs);
    }
    mostBytes = Math.max(mostBytes, sampleOf(await readMetrics(adminPort), 'crm_answer_bytes_in_flight'));
    await sleep(50);
  }
  const at = (share: number) => Math.round(tookMs.sort((a, b) => a - b)[Math.floor(tookMs.length * share)] ?? 0);
  return { p99Ms: at(0.99), medianMs: at(0.5), refused, count: tookMs.length, mostBytes };
};

/** Measures while the organization attacks, with a new key. @returns also how often the attacker got each status */
const during = async ({ body, ...attack }: Attack) => {
  const child = fork(new URL('./support/attack.mjs', import.meta.url).pathname);
  const { key } = await gateway.organization.createKey();
  child.send({
    ...{ ...attack, url: `${processes[attack.gateway === 'read' ? 0 : 1]?.url}${attack.path}` },
    headers: { 'x-api-key': key, ...(body && { 'content-type': 'application/json' }) },
    ...(body === undefined ? { method: 'GET' } : { method: 'POST', body: JSON.stringify(body) }),
  });
  await once(child, 'message');
  // Long enough for all of its connections to be busy.
  await sleep(500);
  const result = await measure();
  child.send('end');
  const [statuses] = (await once(child, 'message')) as [Readonly<Record<string, number>>];
  return { ...result, statuses };
};

describe('R31: an organization that uses its default limits to the full', () => {
  let aloneMs: number;
  beforeAll(async () => {
    // The first requests of a process compile code.
    await measure();
    aloneMs = (await measure()).p99Ms;
  });

  test.each(attacks)('with %s causes no refusal for another organization', async (what, attack) => {
    const { p99Ms, medianMs, refused, count, mostBytes, statuses } = await during(attack());
    const ratio = (p99Ms / Math.max(1, aloneMs)).toFixed(1);
    reportFigure('R31', `p99 of another organization, ms, during ${what}`, p99Ms, '<= 250, printed');
    reportFigure('R31', `the same, times that of it alone, during ${what}`, ratio, '<= 3, printed');
    reportFigure('R31', `refused of ${count} requests of another, during ${what}`, refused, 0);
    process.stdout.write(`answered to it: ${JSON.stringify(statuses)}; ${mostBytes} bytes of answers at once\n`);
    expect(Object.keys(statuses)).not.toEqual([]);
    expect(refused).toBe(0);
    expect(mostBytes).toBeLessThanOrEqual(shareOf(defaultBytesInFlight));
    expect(medianMs).toBeLessThan(hangGuardMs);
    if (what.startsWith('260')) expect(statuses['503']).toBeGreaterThan(0);
    if (what.startsWith('pages')) expect(mostBytes).toBeGreaterThan(shareOf(defaultBytesInFlight) / 2);
  });
});
