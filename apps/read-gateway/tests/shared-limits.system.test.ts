/** @needs redis-server */
import { listPipelines } from '@crm/contract';
import { type Answer, createTestRedis, reportFigure, type TestClient, type TestRedis, until } from '@crm/testing';
import { afterAll, beforeAll, beforeEach, describe, expect, test } from '@jest/globals';
import { startTestGateway, useGateway } from './support/gateway.js';

const limit = 60;

let redis: TestRedis;
const gateway = useGateway(startTestGateway);
let gateways: readonly Awaited<ReturnType<typeof gateway.startProcess>>[];
let processes: readonly TestClient[];
let key: string;

beforeAll(async () => {
  redis = await createTestRedis();
  await redis.start();
  const environment = { REDIS_URL: redis.url, RATE_LIMIT_LIST: String(limit), LOG_LEVEL: 'warn' };
  gateways = await Promise.all([gateway.startProcess(environment), gateway.startProcess(environment)]);
  processes = gateways.map(({ client }) => client);
});
beforeEach(async () => {
  ({ key } = await gateway.organization.createKey());
});
afterAll(async () => {
  await redis.kill();
});

const ask = (client: TestClient, withKey = key): Promise<Answer> => client.call(listPipelines, { key: withKey });

/** Sends that many requests to each process, ten at a time, to all processes at the same time. */
const flood = async (count: number): Promise<Answer[]> => {
  const toOne = async (client: TestClient): Promise<Answer[]> => {
    const answers: Answer[] = [];
    while (answers.length < count) answers.push(...(await Promise.all(Array.from({ length: 10 }, () => ask(client)))));
    return answers;
  };
  return (await Promise.all(processes.map(toOne))).flat();
};

const countOf = (answers: readonly Answer[], status: number): number =>
  answers.filter((answer) => answer.status === status).length;

/** Asks with new keys until the processes count together again: each knows of the requests to the other. */
const untilShared = (): Promise<void> =>
  until(async () => {
    const fresh = await gateway.organization.createKey();
    const left: number[] = [];
    for (const client of processes) {
      const { headers } = await ask(client, fresh.key);
      left.push(Number(/"key-list"; r=(\d+)/.exec(headers.get('ratelimit') ?? '')?.[1]));
    }
    return left[0] === limit - 1 && left[1] === limit - 2;
  }, 100);

/** How often the processes found Redis unavailable. */
const outages = (): number =>
  gateways.flatMap((one) => one.output().match(/the shared store of rate limits fails/g) ?? []).length;

/** A flood during which Redis answered in time. On a stalled machine each process rightly counts alone. */
const floodTogether = async (count: number): Promise<Answer[]> => {
  for (let attempt = 1; ; attempt += 1) {
    await untilShared();
    const before = outages();
    const { key: fresh } = await gateway.organization.createKey();
    key = fresh;
    const answers = await flood(count);
    if (outages() === before || attempt === 3) return answers;
    console.log(`Redis did not answer in time: flood ${attempt} of 3 says nothing`);
  }
};

describe('R12: two processes with one Redis', () => {
  test('together accept as many requests as the limit allows, give or take one', async () => {
    const answers = await floodTogether(limit);
    expect(answers).toHaveLength(2 * limit);
    reportFigure('R12', `let through by two processes, limit ${limit}`, countOf(answers, 200), `${limit} ± 1`);
    expect(Math.abs(countOf(answers, 200) - limit)).toBeLessThanOrEqual(1);
    expect(countOf(answers, 429)).toBe(answers.length - countOf(answers, 200));
    const refused = answers.filter(({ status }) => status === 429);
    for (const { headers } of refused) expect(headers.get('retry-after')).toMatch(/^[1-9]\d?$/);
  });

  test('count alone after Redis is killed, without a 5xx, and together again when it is back', async () => {
    await untilShared();
    const running = flood(2 * limit);
    await redis.kill();
    const answers = [...(await running), ...(await flood(2 * limit))];
    expect(answers.filter(({ status }) => status !== 200 && status !== 429)).toEqual([]);
    reportFigure('R12', 'answers 5xx while Redis is killed', answers.filter(({ status }) => status >= 500).length, 0);
    // Each of the two processes counts its own limit. Before that, Redis may have counted up to one more.
    expect(countOf(answers, 200)).toBeGreaterThanOrEqual(2 * limit);
    expect(countOf(answers, 200)).toBeLessThanOrEqual(3 * limit);
    await redis.start();
    await untilShared();
  });
});

test('R12: a gateway starts without Redis, counts in memory, and joins the others when Redis is available', async () => {
  await redis.kill();
  const { client } = await gateway.startProcess({ REDIS_URL: redis.url, RATE_LIMIT_LIST: '2' });
  expect([(await ask(client)).status, (await ask(client)).status, (await ask(client)).status]).toEqual([200, 200, 429]);
  await redis.start();
  processes = [client, client];
  // Redis did not count the earlier requests of this key, but the counters in memory would still refuse it.
  await until(async () => (await ask(client)).status === 200, 100);
});
