import { listAccounts } from '@crm/contract';
import { findFreePort, type TestClient } from '@crm/testing';
import { beforeAll, describe, expect, test } from '@jest/globals';
import { startTestGateway, useGateway } from './support/gateway.js';
import { readMetrics, sampleOf } from './support/metrics.js';

const gateway = useGateway(startTestGateway);
let client: TestClient;
let adminPort: number;

beforeAll(async () => {
  adminPort = await findFreePort();
  const limits = { RATE_LIMIT_FAILED_AUTH: '2', DATABASE_MAX_CONNECTIONS: '3', MAX_IN_FLIGHT: '4' };
  ({ client } = await gateway.startProcess({ ADMIN_PORT: String(adminPort), ...limits }));
});

/** How much a sample has grown during the test. */
const growthOf = async (work: () => Promise<void>) => {
  const before = await readMetrics(adminPort);
  await work();
  const after = await readMetrics(adminPort);
  return (name: string, labels: Readonly<Record<string, string>> = {}): number =>
    sampleOf(after, name, labels) - sampleOf(before, name, labels);
};

const expectStatus = async (path: string, status: number, key?: string | null): Promise<void> => {
  expect((await client.send('GET', path, { key })).status).toBe(status);
};

describe('metrics', () => {
  test('count every request by its operation and status, with its duration', async () => {
    const growth = await growthOf(async () => {
      for (let i = 0; i < 3; i++) await expectStatus('/v1/accounts', 200);
      await expectStatus('/v1/accounts?limit=0', 400);
      await expectStatus('/v1/nothing', 404);
    });
    const count = (operation: string, status: string): number =>
      growth('crm_request_duration_seconds_count', { operation, status, gateway: 'read' });
    expect([count('listAccounts', '200'), count('listAccounts', '400'), count('none', '404')]).toEqual([3, 1, 1]);
    const slowest = { operation: 'listAccounts', status: '200', le: '+Inf' };
    expect(growth('crm_request_duration_seconds_bucket', slowest)).toBe(3);
    expect(sampleOf(await readMetrics(adminPort), 'crm_requests_in_flight')).toBe(0);
  });

  test('show the pool, the caches, the limits and the process', async () => {
    const fresh = await gateway.createOrganization();
    const { key } = await fresh.createKey({ limits: { list: 2 } });
    const growth = await growthOf(async () => {
      for (const status of [200, 200, 429]) await expectStatus('/v1/accounts', status, key);
    });
    expect(growth('crm_requests_rate_limited_total', { limiter: 'key-list' })).toBe(1);
    // Cache entries expire on a busy machine, so only the first lookup is certain.
    const lookUps = (cache: string, result: string): number => growth('crm_cache_lookups_total', { cache, result });
    for (const [cache, requests] of [
      ['api_keys', 3],
      ['setups', 2],
    ] as const) {
      expect(lookUps(cache, 'miss')).toBeGreaterThanOrEqual(1);
      expect(lookUps(cache, 'hit') + lookUps(cache, 'miss')).toBe(requests);
    }
    const pool = { pool: 'primary' };
    expect(growth('crm_database_pool_wait_seconds_count', pool)).toBeGreaterThanOrEqual(2);
    const page = await readMetrics(adminPort);
    expect(sampleOf(page, 'crm_database_pool_max_connections', pool)).toBe(3);
    expect(sampleOf(page, 'crm_database_pool_connections', pool)).toBeGreaterThanOrEqual(1);
    expect(sampleOf(page, 'crm_database_pool_waiting', pool)).toBe(0);
    expect(sampleOf(page, 'process_resident_memory_bytes')).toBeGreaterThan(1e6);
  });

  test('count every failed authentication, including those over the limit of their address', async () => {
    const growth = await growthOf(async () => {
      for (const status of [401, 401, 429, 429, 429]) await expectStatus('/v1/accounts', status, null);
      await expectStatus('/v1/accounts', 200);
    });
    expect(growth('crm_failed_authentications_total', { gateway: 'read' })).toBe(5);
  });

  test('count the requests refused because of overload', async () => {
    let shed = 0;
    const growth = await growthOf(async () => {
      // On a busy machine the requests of one burst may arrive one after the other.
      for (let burst = 0; burst < 20 && shed === 0; burst += 1) {
        const answers = await Promise.all(Array.from({ length: 50 }, () => client.call(listAccounts)));
        shed = answers.filter(({ status }) => status === 503).length;
      }
    });
    expect(shed).toBeGreaterThan(0);
    expect(growth('crm_requests_shed_total')).toBe(shed);
  });

  test('are never on the port of the API, and their own port serves nothing else', async () => {
    await expectStatus('/metrics', 404);
    for (const path of ['/', '/v1/accounts', '/livez']) {
      expect((await fetch(`http://127.0.0.1:${adminPort}${path}`)).status).toBe(404);
    }
  });

  test('a taken port stops the start with an error that names it', async () => {
    const second = gateway.startProcess({ ADMIN_PORT: String(adminPort), LOG_LEVEL: 'fatal' });
    await expect(second).rejects.toThrow(`Port ${adminPort} on 127.0.0.1 is already in use`);
  });
});
