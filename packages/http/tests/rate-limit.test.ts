import { describe, expect, it } from '@jest/globals';
import type { Store } from 'express-rate-limit';
import request from 'supertest';
import type { RateLimits } from '../src/index.js';
import { createTestGateway, until } from './support.js';

const perMinute = (changes: Partial<RateLimits>): { perMinute: RateLimits } => ({
  perMinute: { list: 100, search: 100, inbound: 100, bulk: 100, failedAuth: 100, ...changes },
});

describe('limits of keys and organizations', () => {
  it('are two policies in the headers of every response, including errors', async () => {
    const { app, key } = createTestGateway({ limits: perMinute({ list: 5 }) });
    for (const [path, left] of [
      ['/v1/things?x=1', 4],
      ['/v1/nothing', 3],
    ] as const) {
      const { headers } = await request(app).get(path).set('x-api-key', key);
      expect(headers['ratelimit-policy']).toMatch(
        /^"key-list"; q=5; w=60; pk=:[A-Za-z0-9+/=]+:, "org-list"; q=15; w=60; pk=:[A-Za-z0-9+/=]+:$/,
      );
      expect(headers['ratelimit']).toMatch(
        new RegExp(`^"key-list"; r=${left}; t=\\d+, "org-list"; r=${left + 10}; t=\\d+$`),
      );
    }
  });

  it('answer 429 with an integer Retry-After, only for that group and key', async () => {
    const { app, key, keys } = createTestGateway({ limits: perMinute({ list: 2 }) });
    for (let i = 0; i < 2; i++) await request(app).get('/v1/things').set('x-api-key', key).expect(200);
    const refused = await request(app).get('/v1/things').set('x-api-key', key).expect(429);
    expect(refused.body).toEqual({
      success: false,
      message: 'Rate limit exceeded',
      statusCode: 429,
      code: 'rate_limited',
    });
    expect(refused.headers['retry-after']).toMatch(/^([1-9]|[1-5]\d|60)$/);
    await request(app).post('/v1/things/search').send({}).set('x-api-key', key).expect(200);
    await request(app).get('/v1/things').set('x-api-key', keys.add()).expect(200);
  });

  it('allow an organization three times as much as a key', async () => {
    const { app, keys } = createTestGateway({ limits: perMinute({ list: 2 }) });
    const statuses: number[] = [];
    for (let i = 0; i < 4; i++) {
      const key = keys.add({ organizationId: 'org-7' });
      for (let j = 0; j < 2; j++) statuses.push((await request(app).get('/v1/things').set('x-api-key', key)).status);
    }
    expect(statuses).toEqual([200, 200, 200, 200, 200, 200, 429, 429]);
    await request(app)
      .get('/v1/things')
      .set('x-api-key', keys.add({ organizationId: 'org-8' }))
      .expect(200);
  });

  it('can be set per key, even above the defaults of the organization', async () => {
    const { app, keys } = createTestGateway({ limits: perMinute({ list: 2 }) });
    const small = keys.add({ organizationId: 'a', limits: { list: 1 } });
    await request(app).get('/v1/things').set('x-api-key', small).expect(200);
    await request(app).get('/v1/things').set('x-api-key', small).expect(429);
    const large = keys.add({ organizationId: 'b', limits: { list: 7 } });
    for (let i = 0; i < 7; i++) await request(app).get('/v1/things').set('x-api-key', large).expect(200);
    await request(app).get('/v1/things').set('x-api-key', large).expect(429);
    const bounded = keys.add({ organizationId: 'c', organizationLimits: { list: 1 } });
    await request(app).get('/v1/things').set('x-api-key', bounded).expect(200);
    await request(app).get('/v1/things').set('x-api-key', bounded).expect(429);
  });

  it('are off at 0', async () => {
    const { app, key } = createTestGateway({ limits: perMinute({ list: 0 }) });
    const { headers } = await request(app).get('/v1/things').set('x-api-key', key).expect(200);
    expect(headers).not.toHaveProperty('ratelimit');
  });
});

describe('the limit of failed authentications', () => {
  it('counts only failures and never refuses a valid key', async () => {
    const { app, key } = createTestGateway({ limits: perMinute({ failedAuth: 2 }) });
    for (let i = 0; i < 3; i++) await request(app).get('/v1/things').set('x-api-key', key).expect(200);
    for (let i = 0; i < 2; i++) {
      const refused = await request(app).get('/v1/things').expect(401);
      expect(refused.headers['ratelimit-policy']).toMatch(/^"failed-auth"; q=2; w=60; /);
    }
    const limited = await request(app).get('/v1/things').expect(429);
    expect(limited.headers['retry-after']).toMatch(/^\d+$/);
    await request(app).get('/v1/things').set('x-api-key', key).expect(200);
  });

  it('uses X-Forwarded-For only behind a trusted proxy', async () => {
    const direct = createTestGateway({ limits: perMinute({ failedAuth: 1 }) }).app;
    await request(direct).get('/v1/things').set('x-forwarded-for', '1.1.1.1').expect(401);
    await request(direct).get('/v1/things').set('x-forwarded-for', '2.2.2.2').expect(429);
    const proxied = createTestGateway({ limits: perMinute({ failedAuth: 1 }), trustProxy: 1 }).app;
    await request(proxied).get('/v1/things').set('x-forwarded-for', '1.1.1.1').expect(401);
    await request(proxied).get('/v1/things').set('x-forwarded-for', '2.2.2.2').expect(401);
    await request(proxied).get('/v1/things').set('x-forwarded-for', '9.9.9.9, 2.2.2.2').expect(429);
  });
});

describe('a shared store', () => {
  it('that fails or hangs is replaced by counting in memory, and no request gets a 500', async () => {
    for (const answer of [() => Promise.reject(new Error('down')), () => new Promise<never>(() => undefined)]) {
      let calls = 0;
      let isDown = false;
      const createStore = (): Store => ({
        // The store works while it is prepared, and fails only later.
        init: () => (isDown ? answer() : undefined),
        increment: () => {
          calls++;
          return answer();
        },
        decrement: () => undefined,
        resetKey: () => undefined,
      });
      const { app, key, lines } = createTestGateway({ limits: { ...perMinute({ list: 2 }), createStore } });
      isDown = true;
      const statuses: number[] = [];
      for (let i = 0; i < 3; i++) statuses.push((await request(app).get('/v1/things').set('x-api-key', key)).status);
      expect(statuses).toEqual([200, 200, 429]);
      // All limiters share one store, so a failure found by one spares the others the attempt.
      expect(calls).toBe(1);
      expect(lines.filter((line) => line.includes('shared store of rate limits fails'))).toHaveLength(1);
    }
  });

  it('that is slow is asked once, and not again until it answers in time', async () => {
    let asked = 0;
    let prepared = 0;
    let takesMs = 0;
    const slowly = async <T>(answer: T): Promise<T> => {
      await new Promise((resolve) => setTimeout(resolve, takesMs).unref());
      return answer;
    };
    const createStore = (): Store => ({
      // Limiters of all groups prepare their stores; `prepared` counts all of them.
      init: async () => {
        prepared++;
        await slowly(null);
      },
      increment: () => {
        asked++;
        return slowly({ totalHits: 1, resetTime: new Date(Date.now() + 60_000) });
      },
      decrement: () => undefined,
      resetKey: () => undefined,
    });
    const limits = { ...perMinute({ list: 1_000_000 }), createStore };
    const { app, key, lines } = createTestGateway({ limits });
    const call = () => request(app).get('/v1/things').set('x-api-key', key).expect(200);
    const said = (text: string): number => lines.filter((line) => line.includes(text)).length;
    const stores = prepared;
    // Far longer than the timeout, even if the process stalls in between.
    takesMs = 10_000;
    await call();
    expect(asked).toBe(1);
    // Retried twice: the first retry has ended when the second one begins.
    await until(async () => {
      await call();
      return prepared >= 3 * stores;
    }, 100);
    expect(asked).toBe(1);
    expect([said('shared store of rate limits fails'), said('answers again')]).toEqual([1, 0]);
    takesMs = 0;
    await until(async () => {
      await call();
      return said('answers again') === 1;
    }, 100);
    await call();
    expect(asked).toBeGreaterThan(1);
  });
});
