import { afterAll, beforeAll, describe, expect, test } from '@jest/globals';
import { findFreePort, type TestClient } from '@crm/testing';
import { readMetrics, sampleOf } from './support/metrics.js';
import { startTestGateway, type TestGateway } from './support/gateway.js';

let gateway: TestGateway;
beforeAll(async () => {
  gateway = await startTestGateway();
});
afterAll(() => gateway.stop());

const startWithMetrics = async (environment: Readonly<Record<string, string>> = {}) => {
  const adminPort = await findFreePort();
  const { client } = await gateway.startProcess({ ADMIN_PORT: String(adminPort), ...environment });
  return { client, adminPort };
};

const expectStatus = async (client: TestClient, path: string, status: number): Promise<void> => {
  expect((await client.send('GET', path)).status).toBe(status);
};

describe('metrics', () => {
  test('count every request by its operation and status, with its duration', async () => {
    const { client, adminPort } = await startWithMetrics();
    for (let i = 0; i < 3; i++) await expectStatus(client, '/v1/accounts', 200);
    await expectStatus(client, '/v1/accounts?limit=0', 400);
    await expectStatus(client, '/v1/nothing', 404);
    const page = await readMetrics(adminPort);
    const count = (operation: string, status: string): number =>
      sampleOf(page, 'crm_request_duration_seconds_count', { operation, status, gateway: 'read' });
    expect(count('listAccounts', '200')).toBe(3);
    expect(count('listAccounts', '400')).toBe(1);
    expect(count('none', '404')).toBe(1);
    const slowest = { operation: 'listAccounts', status: '200', le: '+Inf' };
    expect(sampleOf(page, 'crm_request_duration_seconds_bucket', slowest)).toBe(3);
    expect(sampleOf(page, 'crm_requests_in_flight')).toBe(0);
  });

  test('show the pool, the caches, the limits and the process', async () => {
    const { client, adminPort } = await startWithMetrics({ RATE_LIMIT_LIST: '2', DATABASE_MAX_CONNECTIONS: '3' });
    for (let i = 0; i < 2; i++) await expectStatus(client, '/v1/accounts', 200);
    await expectStatus(client, '/v1/accounts', 429);
    const page = await readMetrics(adminPort);
    const pool = { pool: 'primary' };
    expect(sampleOf(page, 'crm_requests_rate_limited_total', { limiter: 'key-list' })).toBe(1);
    // Cache entries expire on a busy machine, so only the first lookup is certain.
    const lookUps = (cache: string, result: string): number =>
      sampleOf(page, 'crm_cache_lookups_total', { cache, result });
    for (const [cache, requests] of [
      ['api_keys', 3],
      ['setups', 2],
    ] as const) {
      expect(lookUps(cache, 'miss')).toBeGreaterThanOrEqual(1);
      expect(lookUps(cache, 'hit') + lookUps(cache, 'miss')).toBe(requests);
    }
    expect(sampleOf(page, 'crm_database_pool_max_connections', pool)).toBe(3);
    expect(sampleOf(page, 'crm_database_pool_connections', pool)).toBeGreaterThanOrEqual(1);
    expect(sampleOf(page, 'crm_database_pool_waiting', pool)).toBe(0);
    expect(sampleOf(page, 'crm_database_pool_wait_seconds_count', pool)).toBeGreaterThanOrEqual(2);
    expect(sampleOf(page, 'process_resident_memory_bytes')).toBeGreaterThan(1e6);
  });

  test('count every failed authentication, including those over the limit of their address', async () => {
    const { client, adminPort } = await startWithMetrics({ RATE_LIMIT_FAILED_AUTH: '2' });
    for (const status of [401, 401, 429, 429, 429]) {
      expect((await client.send('GET', '/v1/accounts', { key: null })).status).toBe(status);
    }
    await expectStatus(client, '/v1/accounts', 200);
    const page = await readMetrics(adminPort);
    expect(sampleOf(page, 'crm_failed_authentications_total', { gateway: 'read' })).toBe(5);
  });

  test('count the requests refused because of overload', async () => {
    const { client, adminPort } = await startWithMetrics({ MAX_IN_FLIGHT: '1' });
    const answers = await Promise.all(Array.from({ length: 20 }, () => client.send('GET', '/v1/accounts')));
    const shed = answers.filter(({ status }) => status === 503).length;
    expect(shed).toBeGreaterThan(0);
    expect(sampleOf(await readMetrics(adminPort), 'crm_requests_shed_total')).toBe(shed);
  });

  test('are never on the port of the API, and their own port serves nothing else', async () => {
    const { client, adminPort } = await startWithMetrics();
    await expectStatus(client, '/metrics', 404);
    for (const path of ['/', '/v1/accounts', '/livez']) {
      expect((await fetch(`http://127.0.0.1:${adminPort}${path}`)).status).toBe(404);
    }
  });

  test('a taken port stops the start with an error that names it', async () => {
    const { adminPort } = await startWithMetrics();
    const second = gateway.startProcess({ ADMIN_PORT: String(adminPort), LOG_LEVEL: 'fatal' });
    await expect(second).rejects.toThrow(`Port ${adminPort} on 127.0.0.1 is already in use`);
  });
});
