import { randomBytes } from 'node:crypto';
import { afterEach, describe, expect, it, jest } from '@jest/globals';
import { generateApiKey } from '@crm/domain';
import { reportFigure, until } from '@crm/testing';
import request, { type Response } from 'supertest';
import { type ApiKeyRecord, defineOperation } from '../src/index.js';
import { ApiKeyCache } from '../src/keys/key-cache.js';
import { bodyOf, createTestGateway, KeyRing, listThings, parseRaw, sendRaw, sleep, withServer } from './support.js';

const past = new Date(Date.now() - 1000);
const varying = new Set(['x-request-id', 'date', 'ratelimit', 'ratelimit-policy']);

/** A response without the parts that differ between any two responses. */
const fixedPart = (response: Response): string =>
  JSON.stringify([
    response.status,
    response.text,
    Object.entries(response.headers).filter(([name]) => !varying.has(name)),
  ]);

const perMinute = { list: 0, search: 0, inbound: 0, bulk: 0, failedAuth: 0 };

describe('401', () => {
  it('has the same bytes for every kind of bad key, on known and unknown paths and methods', async () => {
    const { app, keys } = createTestGateway({ limits: { perMinute } });
    const bad = [
      '',
      'a',
      generateApiKey().slice(0, -1),
      generateApiKey(),
      keys.add({ revokedAt: past }),
      keys.add({ expiresAt: past }),
      keys.add({ allowedOperations: [] }),
      keys.add({ allowedOperations: ['search', 'getThing'] }),
    ];
    const answers = new Set<string>([fixedPart(await request(app).get('/v1/things'))]);
    for (const key of bad) {
      answers.add(fixedPart(await request(app).get('/v1/things').set('x-api-key', key)));
    }
    for (const path of ['/v1', '/v1/nothing', '/v1/things/%ff', '/v1/things?q=%ff']) {
      for (const method of ['get', 'post', 'options'] as const) {
        answers.add(fixedPart(await request(app)[method](path)));
      }
    }
    expect([...answers]).toEqual([expect.stringContaining('["www-authenticate","ApiKey"]')]);
    expect(JSON.parse((await request(app).get('/v1/things')).text)).toEqual({
      success: false,
      message: expect.stringMatching(
        /^Unauthorized: a valid API key .* `crm key check` shows what a key allows$/,
      ) as unknown,
      statusCode: 401,
      code: 'unauthorized',
    });
  });

  it('says so if a key is sent twice, whatever it is', async () => {
    const gateway = createTestGateway();
    await withServer(gateway, async ({ port }) => {
      const line = `X-API-Key: ${gateway.key}\r\n`;
      const target = 'GET /v1/things HTTP/1.1\r\nHost: a\r\nConnection: close\r\n';
      expect(parseRaw(await sendRaw(port, `${target}${line}\r\n`)).status).toBe(200);
      for (const other of [line, 'x-api-key:\r\n', 'x-api-key: unknown\r\n'])
        for (const lines of [line + other, other + line, other + other])
          expect(parseRaw(await sendRaw(port, `${target}${lines}\r\n`)).body).toMatchObject({
            statusCode: 400,
            errors: { 'x-api-key': 'is sent twice as a header: send it once' },
          });
    });
  });
});

describe('key lookups', () => {
  it('R8: run one statement for unknown, revoked, expired and out-of-scope keys alike, and none for malformed keys', async () => {
    const ring = new KeyRing();
    const { app } = createTestGateway({ authentication: { findApiKeysByHash: ring.find } });
    const cost = async (key: string): Promise<number> => {
      const before = ring.lookUps;
      for (let i = 0; i < 2; i++) await request(app).get('/v1/things').set('x-api-key', key).expect(401);
      return ring.lookUps - before;
    };
    expect(await cost('crm_live_x')).toBe(0);
    const wrong = [{ revokedAt: past }, { expiresAt: past }, { allowedOperations: ['bulk'] }];
    const costs = new Set([await cost(generateApiKey())]);
    for (const changes of wrong) costs.add(await cost(ring.add(changes)));
    reportFigure('R8', 'different numbers of lookups of well-formed bad keys', costs.size, 1);
    expect([...costs]).toEqual([1]);
  });

  // `every-operation.test.ts` shows that a revocation takes effect.
  it('are shared by parallel requests and those just after them', async () => {
    const ring = new KeyRing();
    const { app } = createTestGateway({ authentication: { findApiKeysByHash: ring.find } });
    const key = ring.add();
    const call = () => request(app).get('/v1/things').set('x-api-key', key).expect(200);
    await Promise.all([1, 2, 3, 4].map(call));
    ring.set(key, { revokedAt: past });
    await call();
    expect(ring.lookUps).toBe(1);
  });

  it('R8: share statements for an address past its limit, and still find a valid key', async () => {
    const gateway = createTestGateway({ limits: { perMinute: { ...perMinute, failedAuth: 2 } } });
    const late = gateway.keys.add();
    const ask = (key: string, rest = '') => `GET /v1/things HTTP/1.1\r\nHost: a\r\nx-api-key: ${key}\r\n${rest}\r\n`;
    const unknown = (count: number) => Array.from({ length: count }, () => ask(generateApiKey())).join('');
    await withServer(gateway, async ({ port }) => {
      const statusesOf = async (text: string) =>
        [...(await sendRaw(port, text)).matchAll(/HTTP\/1\.1 (\d+)/g)].map(([, status]) => Number(status));
      const first = unknown(3) + ask(generateApiKey(), 'Connection: close\r\n');
      expect(await statusesOf(first)).toEqual([401, 401, 429, 429]);
      expect(gateway.keys.lookUps).toBe(4);
      const statuses = await statusesOf(unknown(64) + ask(late, 'Connection: close\r\n'));
      expect(statuses).toEqual([...Array.from({ length: 64 }, () => 429), 200]);
      // The three further lookups are two batches of 32 keys, and the last key.
      expect(gateway.keys.lookUps).toBe(4 + 3);
    });
  });

  it('answer 503 while the database is unavailable, and are retried by the next request', async () => {
    const ring = new KeyRing();
    const key = ring.add();
    let away = true;
    const { app, lines } = createTestGateway({
      authentication: {
        findApiKeysByHash: (hashes) => (away ? Promise.reject(new Error('connect 10.0.0.1')) : ring.find(hashes)),
      },
    });
    const response = await request(app).get('/v1/things').set('x-api-key', key).expect(503);
    expect(response.headers['retry-after']).toBe('1');
    expect(response.text).not.toContain('10.0.0.1');
    expect(lines.join('')).toContain('connect 10.0.0.1');
    away = false;
    await request(app).get('/v1/things').set('x-api-key', key).expect(200);
  });
});

describe('a valid key', () => {
  it('can be allowed a single operation, and is passed to the operation as the caller', async () => {
    const { app, keys } = createTestGateway();
    const key = keys.add({ id: 'k9', organizationId: 'org-9', allowedOperations: ['listThings'] });
    const response = await request(app).get('/v1/things').set('x-api-key', key).expect(200);
    expect(bodyOf(response).data?.['caller']).toEqual({
      organizationId: 'org-9',
      apiKeyId: 'k9',
      allowedOperations: ['listThings'],
    });
    await request(app).get('/v1/things/1').set('x-api-key', key).expect(401);
  });

  it('is reported as used once a minute, and a failed report changes nothing', async () => {
    const ring = new KeyRing();
    const used: string[] = [];
    const onKeyUsed = (id: string): void => {
      used.push(id);
      throw new Error('no');
    };
    const { app } = createTestGateway({ authentication: { findApiKeysByHash: ring.find, onKeyUsed } });
    const [first, second] = [ring.add(), ring.add()];
    for (const key of [first, second, first]) {
      await request(app).get('/v1/things').set('x-api-key', key).expect(200);
    }
    expect(used).toEqual(['key-1', 'key-2']);
  });
});

/** Replaces the monotonic clock of the product with one that only the test moves. */
const stopClock = (): { nowMs: number } => {
  const clock = { nowMs: 1_000_000 };
  jest.spyOn(performance, 'now').mockImplementation(() => clock.nowMs);
  return clock;
};
afterEach(() => {
  jest.restoreAllMocks();
});

describe('a cached key', () => {
  /** A cache whose lookups the test answers one by one. */
  const openCache = () => {
    const answers: ((record: ApiKeyRecord | null) => void)[] = [];
    const counter = { hits: 0, misses: 0 };
    let lookups = 0;
    const find = (hashes: readonly Buffer[]): Promise<readonly (ApiKeyRecord | null)[]> => {
      lookups += 1;
      // Lookups that the test does not expect end too, so that it fails instead of waiting.
      if (lookups > 3) return Promise.resolve(hashes.map(() => record));
      return new Promise((resolve) => {
        answers.push((found) => resolve(hashes.map(() => found)));
      });
    };
    return { cache: new ApiKeyCache(find, counter), answers, counter, countLookups: () => lookups };
  };
  const hash = randomBytes(32);
  const record = { id: 'k', organizationId: 'o', allowedOperations: [], expiresAt: null, revokedAt: null, limits: {} };

  it.each([false, true])(
    'is two seconds old at most, counted from the start of its lookup (batched: %s)',
    async (mayWait) => {
      const clock = stopClock();
      const startMs = clock.nowMs;
      const { cache, answers, counter, countLookups } = openCache();
      const at = (ms: number) => {
        clock.nowMs = startMs + ms;
        return cache.find(hash, mayWait);
      };
      /** The timer of a batch is in this process, so it fires before as many later ones. */
      const lookups = async (count: number) => {
        for (let round = 0; round < 20 && answers.length < count; round += 1) await sleep(5);
        expect(answers).toHaveLength(count);
      };
      const first = at(0);
      await lookups(1);
      clock.nowMs = startMs + 1_900;
      answers[0]?.(record);
      expect(await first).toBe(record);
      expect(await at(1_999)).toBe(record);
      expect(counter).toEqual({ hits: 1, misses: 1 });
      // Requests share a lookup that runs, unless it began two seconds ago.
      const late = [at(2_000), at(3_999)];
      expect(counter).toEqual({ hits: 1, misses: 3 });
      await lookups(2);
      const last = at(4_000);
      await lookups(3);
      answers[2]?.(null);
      expect(await last).toBeNull();
      // An older result does not replace a newer one.
      answers[1]?.(record);
      expect(await Promise.all(late)).toEqual([record, record]);
      expect([await at(5_999), countLookups()]).toEqual([null, 3]);
      expect(counter).toEqual({ hits: 2, misses: 4 });
    },
  );

  it('stays cached while ten thousand invented keys are looked up, of which the oldest is dropped', async () => {
    stopClock();
    let lookups = 0;
    const known = hash.toString('hex');
    const find = (hashes: readonly Buffer[]) => {
      lookups += 1;
      return Promise.resolve(hashes.map((one) => (one.toString('hex') === known ? record : null)));
    };
    const cache = new ApiKeyCache(find, { hits: 0, misses: 0 });
    const invented = Array.from({ length: 10_001 }, (_, index) => Buffer.from(`invented ${index}`));
    for (const one of [hash, ...invented]) await cache.find(one, false);
    const costOf = async (one: Buffer | undefined) => {
      const before = lookups;
      await cache.find(one ?? hash, false);
      return lookups - before;
    };
    expect([await costOf(hash), await costOf(invented[1]), await costOf(invented[0])]).toEqual([0, 0, 1]);
  });
});

it.each<[string, Partial<ApiKeyRecord>, number]>([
  ['was revoked', { revokedAt: past }, 401],
  ['expired', { expiresAt: past }, 401],
  ['lost its permission', { allowedOperations: ['search'] }, 401],
  ['stayed valid', {}, 200],
])('a request that waited for news is answered as its key is now: the key %s', async (_what, change, status) => {
  const clock = stopClock();
  const waiting: (() => void)[] = [];
  const subscribe = (onNews: () => void) => {
    waiting.push(onNews);
    return () => undefined;
  };
  const operation = defineOperation(listThings, () =>
    Promise.resolve({
      message: 'OK',
      data: {},
      wait: waiting.length === 0 ? { forMs: 3_600_000, subscribe } : undefined,
    }),
  );
  const { app, keys, key } = createTestGateway({ operations: [operation] });
  const answer = request(app)
    .get('/v1/things')
    .set('x-api-key', key)
    .then((response) => response.status);
  await until(() => waiting.length === 1);
  keys.set(key, change);
  clock.nowMs += 2_000;
  waiting[0]?.();
  expect(await answer).toBe(status);
});
