/** @needs nginx haproxy curl */
import { setTimeout as sleep } from 'node:timers/promises';
import { openAdministrationDatabase } from '@crm/db';
import { createMigratedDatabase, createTestOrganization } from '@crm/testing/suites';
import { findFreePort, type GatewayProcess, reportFigure, startGatewayProcess, until } from '@crm/testing';
import { afterAll, afterEach, beforeAll, describe, expect, test } from '@jest/globals';
import { startNginxProxy } from './support/nginx-proxy.js';
import { type ExampleGateways, type RunningProxy, startExample } from './support/proxy-programs.js';

const longestWaitSeconds = 30;
/** More polls of one key than it takes to fill a small pool, and fewer than an address may have at once. */
const polls = 43;

let environment: Readonly<Record<string, string>>;
let key: string;
let inbound: GatewayProcess;
let read: GatewayProcess;
const stops: (() => Promise<unknown>)[] = [];
const started: { stop(): Promise<unknown> }[] = [];

beforeAll(async () => {
  const { url, drop } = await createMigratedDatabase();
  const database = openAdministrationDatabase({ url, applicationName: 'test', maxConnections: 2 });
  ({ key } = await createTestOrganization(database));
  environment = {
    ...{ DATABASE_URL: url, CURSOR_SECRETS: 'a secret that only the tests know', TRUST_PROXY: '1' },
    ...{ RATE_LIMIT_LIST: '0', RATE_LIMIT_INBOUND: '0', SHUTDOWN_DELAY_MS: '5000' },
  };
  inbound = await startGatewayProcess('inbound-gateway', environment);
  read = await startGatewayProcess('read-gateway', environment);
  stops.push(inbound.stop, read.stop, () => database.close(), drop);
}, 120_000);
afterEach(async () => {
  for (const each of started.splice(0).reverse()) await each.stop();
});
afterAll(async () => {
  for (const stop of stops) await stop();
});

const keep = <T extends { stop(): Promise<unknown> }>(each: T): T => {
  started.push(each);
  return each;
};

const shipped = async ({ read: [one, other], inbound: inboundGatewayUrl }: ExampleGateways): Promise<RunningProxy> =>
  keep(await startNginxProxy({ readGatewayUrl: `${one} ${other}`, inboundGatewayUrl, requestsPerAddress: 1_000 }));
const example = (name: 'haproxy' | 'nginx') => async (gateways: ExampleGateways) =>
  keep(await startExample(name, gateways));

const proxies = [
  ['the shipped proxy', shipped],
  ['the example of HAProxy', example('haproxy')],
  ['the example of nginx', example('nginx')],
] as const;

/** The status of a request, or the reason why there is none. */
const statusOf = async (url: string, init: RequestInit = {}): Promise<number | string> => {
  const headers = { 'x-api-key': key, 'content-type': 'application/json' };
  try {
    const response = await fetch(url, { ...init, headers });
    await response.arrayBuffer();
    return response.status;
  } catch (error) {
    return String((error as { cause?: unknown }).cause ?? error);
  }
};

const countOf = (statuses: readonly (number | string)[]): Record<string, number> => {
  const counts: Record<string, number> = {};
  for (const status of statuses) counts[status] = (counts[status] ?? 0) + 1;
  return counts;
};

/** Sends reads one after another until `work` is over. */
const readDuring = async (url: string, work: () => Promise<unknown>): Promise<Record<string, number>> => {
  const state = { isOver: false };
  const working = work().finally(() => (state.isOver = true));
  const statuses: (number | string)[] = [];
  while (!state.isOver) {
    statuses.push(await statusOf(`${url}/v1/key`));
    await sleep(50);
  }
  await working;
  return countOf(statuses);
};

/** A read gateway that runs, but whose database cannot be reached. */
const startUnready = async (): Promise<GatewayProcess> =>
  keep(
    await startGatewayProcess('read-gateway', { ...environment, DATABASE_URL: 'postgres://a@127.0.0.1:9/a' }, '/livez'),
  );

describe('polls with the longest wait', () => {
  test('R31: long polls of one key, through every proxy, are answered and cost other callers nothing', async () => {
    const second = keep(await startGatewayProcess('read-gateway', environment));
    const gateways = { read: [read.url, second.url], inbound: inbound.url } as const;
    const running = await Promise.all(
      proxies.map(async ([name, start]) => ({ name, url: (await start(gateways)).url })),
    );
    const latest = await fetch(`${read.url}/v1/events/latest`, { headers: { 'x-api-key': key } });
    const { data } = (await latest.json()) as { data: { position: number } };
    const path = `/v1/events?after=${data.position}&wait=${longestWaitSeconds}`;
    const measured = running.map(async ({ name, url }) => {
      const answers: Promise<number | string>[] = [];
      const others = await readDuring(url, async () => {
        for (let count = 0; count < polls; count += 1) answers.push(statusOf(`${url}${path}`));
        await Promise.all(answers);
      });
      return { name, polls: countOf(await Promise.all(answers)), others: Object.keys(others) };
    });
    const results = await Promise.all(measured);
    const refused = results.map((result) => polls - (result.polls['200'] ?? 0)).reduce((sum, each) => sum + each, 0);
    reportFigure('R31', `refused of ${polls * results.length} long polls of one key through three proxies`, refused, 0);
    expect(results).toEqual(results.map(({ name }) => ({ name, polls: { 200: polls }, others: ['200'] })));
  }, 240_000);
});

describe('a gateway that is not ready', () => {
  test.each(proxies.slice(0, 2))('gets no requests from %s', async (_name, start) => {
    const unready = await startUnready();
    const { url } = await start({ read: [unready.url, read.url], inbound: inbound.url });
    // HAProxy takes its servers for ready until the first checks.
    await until(
      async () => (await statusOf(`${url}/v1/key`)) === 200 && (await statusOf(`${url}/v1/key`)) === 200,
      100,
    );
    // Log lines are up to 100 ms late.
    await sleep(300);
    const before = unready.output().length;
    const statuses = await Promise.all(Array.from({ length: 60 }, () => statusOf(`${url}/v1/key`)));
    expect(countOf(statuses)).toEqual({ 200: 60 });
    expect(unready.output().slice(before)).not.toContain('/v1/key');
  });

  test('answers through the shipped proxy if there is no other, so that callers see the reason', async () => {
    const unready = await startUnready();
    const { url } = await shipped({ read: [unready.url, unready.url], inbound: inbound.url });
    const response = await fetch(`${url}/readyz`);
    expect([response.status, await response.json()]).toEqual([
      503,
      expect.objectContaining({ message: 'The database cannot be reached' }),
    ]);
  });

  test('gets requests from the shipped proxy once it is ready', async () => {
    const port = await findFreePort();
    const { url } = await shipped({ read: [`http://127.0.0.1:${port}`, read.url], inbound: inbound.url });
    const late = keep(await startGatewayProcess('read-gateway', { ...environment, PORT: String(port) }));
    await until(async () => {
      await statusOf(`${url}/v1/key`);
      return late.output().includes('"/v1/key"');
    }, 100);
  });
});

test.each(proxies)('no request through %s fails at the shutdown of a gateway', async (_name, start) => {
  const second = await startGatewayProcess('read-gateway', environment);
  const { url } = await start({ read: [second.url, read.url], inbound: inbound.url });
  await until(async () => (await statusOf(`${url}/v1/key`)) === 200, 100);
  const counts = await readDuring(url, async () => {
    await sleep(500);
    expect(await second.stop()).toBe(0);
    await sleep(500);
  });
  expect(Object.keys(counts)).toEqual(['200']);
});
