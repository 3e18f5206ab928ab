import { afterEach, describe, expect, it, jest } from '@jest/globals';
import request from 'supertest';
import type { CounterStore, RateLimits, TrustProxy } from '../src/index.js';
import { MemoryStore } from '../src/limits/memory-store.js';
import type { Steps } from '@crm/domain';
import { runInTurns } from '../src/limits/turns.js';
import { until } from '@crm/testing';
import { createTestGateway, type TestGateway } from './support.js';

/** About half of the pause between two attempts to use a failing store. */
const pollMs = 500;

const perMinute = (changes: Partial<RateLimits>): { perMinute: RateLimits } => ({
  perMinute: { list: 100, search: 100, inbound: 100, bulk: 100, failedAuth: 100, ...changes },
});

/** Sends a request with each of these keys in turn. */
const statusesOf = async ({ app }: TestGateway, ...keys: readonly string[]): Promise<readonly number[]> => {
  const statuses: number[] = [];
  for (const key of keys) statuses.push((await request(app).get('/v1/things').set('x-api-key', key)).status);
  return statuses;
};

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

  it('apply only to one group of operations and one key', async () => {
    const gateway = createTestGateway({ limits: perMinute({ list: 2 }) });
    const { app, key, keys } = gateway;
    expect(await statusesOf(gateway, key, key, key, keys.add())).toEqual([200, 200, 429, 200]);
    await request(app).post('/v1/things/search').send({}).set('x-api-key', key).expect(200);
  });

  it('allow an organization three times as much as a key', async () => {
    const gateway = createTestGateway({ limits: perMinute({ list: 2 }) });
    const [a = '', b = '', c = '', d = ''] = Array.from({ length: 4 }, () => gateway.keys.add());
    const other = gateway.keys.add({ organizationId: 'org-8' });
    expect(await statusesOf(gateway, a, a, b, b, c, c, d, other)).toEqual([200, 200, 200, 200, 200, 200, 429, 200]);
  });

  it.each([
    ['a lower limit', { limits: { list: 1 } }, 1],
    ['a limit above the default of the organization', { limits: { list: 7 } }, 7],
    ['a limit of the organization', { organizationLimits: { list: 1 } }, 1],
  ])('can be set per key: %s', async (_what, changes, count) => {
    const gateway = createTestGateway({ limits: perMinute({ list: 2 }) });
    const key = gateway.keys.add(changes);
    const statuses = await statusesOf(gateway, ...Array.from({ length: count + 1 }, () => key));
    expect(statuses).toEqual([...Array.from({ length: count }, () => 200), 429]);
  });

  it('are off at 0', async () => {
    const { app, key } = createTestGateway({ limits: perMinute({ list: 0 }) });
    const { headers } = await request(app).get('/v1/things').set('x-api-key', key).expect(200);
    expect(headers).not.toHaveProperty('ratelimit');
  });
});

describe('the limit of failed authentications', () => {
  it('counts only failures and never refuses a valid key', async () => {
    const gateway = createTestGateway({ limits: perMinute({ failedAuth: 2 }) });
    const { app, key } = gateway;
    expect(await statusesOf(gateway, key, key, key, '', '')).toEqual([200, 200, 200, 401, 401]);
    const { headers } = await request(app).get('/v1/things').expect(429);
    expect(headers['ratelimit-policy']).toMatch(/^"failed-auth"; q=2; w=60; /);
    expect(headers['retry-after']).toMatch(/^\d+$/);
    expect(await statusesOf(gateway, key)).toEqual([200]);
  });

  it.each([
    ['not without a trusted proxy', false, [401, 429, 429]],
    ['of a trusted proxy', 1, [401, 401, 429]],
  ] as const)('uses X-Forwarded-For %s', async (_what, trustProxy, expected) => {
    const { app } = createTestGateway({ limits: perMinute({ failedAuth: 1 }), trustProxy });
    const statuses: number[] = [];
    for (const address of ['1.1.1.1', '2.2.2.2', '9.9.9.9, 2.2.2.2']) {
      statuses.push((await request(app).get('/v1/things').set('x-forwarded-for', address)).status);
    }
    expect(statuses).toEqual(expected);
  });
});

it.each([
  [59_001, 60, 60],
  [1_500, 2, 2],
  [1_001, 2, 2],
  [1_000, 1, 1],
  [0, 1, 0],
  [-500, 1, 0],
])('with %d ms left, Retry-After is %d s, at least one, and RateLimit has %d s', async (leftMs, seconds, shown) => {
  const nowMs = Date.now();
  jest.spyOn(Date, 'now').mockReturnValue(nowMs);
  const count = { totalHits: 3, resetTime: new Date(nowMs + leftMs) };
  const createStore = (): CounterStore => ({ init: () => undefined, increment: () => Promise.resolve(count) });
  const { app, key } = createTestGateway({ limits: { ...perMinute({ list: 2 }), createStore } });
  const { headers } = await request(app).get('/v1/things').set('x-api-key', key).expect(429);
  expect([headers['retry-after'], headers['ratelimit']]).toEqual([`${seconds}`, `"key-list"; r=0; t=${shown}`]);
});

describe('an address in X-Forwarded-For', () => {
  const statuses = async (trustProxy: TrustProxy, addresses: readonly string[]): Promise<number[]> => {
    const { app } = createTestGateway({ limits: perMinute({ failedAuth: 1 }), trustProxy });
    const all: number[] = [];
    for (const address of addresses) {
      all.push((await request(app).get('/v1/things').set('x-forwarded-for', address)).status);
    }
    return all;
  };
  const port = (address: string) => [`${address}:50001`, `${address}:50002`];

  it.each<readonly [string, TrustProxy, readonly string[]]>([
    ['of IPv4', 1, port('203.0.113.7')],
    ['of IPv6 in brackets', 1, port('[2001:db8::7]')],
    ['with and without it', 1, ['203.0.113.7', '203.0.113.7:1']],
    ['in brackets without it', 1, ['[2001:db8::7]', '2001:db8::7']],
    ['mapped to IPv6', 1, ['[::ffff:203.0.113.7]:50001', '203.0.113.7']],
    [
      'before a trusted proxy with one',
      ['127.0.0.1', '::ffff:127.0.0.1', '10.0.0.0/8'],
      ['203.0.113.7:1, 10.0.0.1:1', '203.0.113.7:2, 10.0.0.2:2'],
    ],
  ])('counts by itself, whatever its port: %s', async (_about, trustProxy, addresses) => {
    expect(await statuses(trustProxy, addresses)).toEqual([401, 429]);
  });

  it('differs from another one with the same port', async () => {
    expect(await statuses(1, ['203.0.113.7:1', '203.0.113.8:1', '[2001:db8::7]:1', '[2001:db9::7]:1'])).toEqual([
      401, 401, 401, 401,
    ]);
  });
});

describe('a shared store', () => {
  it('that fails or hangs is replaced by counting in memory, and no request gets a 500', async () => {
    for (const answer of [() => Promise.reject(new Error('down')), () => new Promise<never>(() => undefined)]) {
      let calls = 0;
      let isDown = false;
      const createStore = (): CounterStore => ({
        // The store works while it is prepared, and fails only later.
        init: () => (isDown ? answer() : undefined),
        increment: () => {
          calls++;
          return answer();
        },
      });
      const gateway = createTestGateway({ limits: { ...perMinute({ list: 2 }), createStore } });
      const { key, lines } = gateway;
      isDown = true;
      expect(await statusesOf(gateway, key, key, key)).toEqual([200, 200, 429]);
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
    const createStore = (): CounterStore => ({
      // Limiters of all groups prepare their stores; `prepared` counts all of them.
      init: async () => {
        prepared++;
        await slowly(null);
      },
      increment: () => {
        asked++;
        return slowly({ totalHits: 1, resetTime: new Date(Date.now() + 60_000) });
      },
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
    }, pollMs);
    expect(asked).toBe(1);
    expect([said('shared store of rate limits fails'), said('answers again')]).toEqual([1, 0]);
    takesMs = 0;
    await until(async () => {
      await call();
      return said('answers again') === 1;
    }, pollMs);
    await call();
    expect(asked).toBeGreaterThan(1);
  });
});

const windowMs = 60;
const hourMs = 3_600_000;

const untilItEnds = (): Promise<void> => new Promise((resolve) => setTimeout(resolve, windowMs + 5));
/** Sets the system clock forward or back. */
const setClock = (byMs: number): void => {
  const real = Date.now.bind(Date);
  jest.spyOn(Date, 'now').mockImplementation(() => real() + byMs);
};
afterEach(() => {
  jest.restoreAllMocks();
});

describe('MemoryStore', () => {
  it('counts per window', async () => {
    const store = new MemoryStore(windowMs);
    expect(store.increment('a').totalHits).toBe(1);
    expect(store.increment('a').totalHits).toBe(2);
    expect(store.increment('b').totalHits).toBe(1);
    await untilItEnds();
    expect(store.increment('a').totalHits).toBe(1);
  });

  it.each([-hourMs, hourMs])(
    'ends a window on time although the system clock is set forward by %d ms',
    async (byMs) => {
      const store = new MemoryStore(windowMs);
      store.increment('a');
      setClock(byMs);
      const { totalHits, resetTime } = store.increment('a');
      expect(totalHits).toBe(2);
      expect((resetTime?.getTime() ?? Infinity) - Date.now()).toBeLessThanOrEqual(windowMs);
      await untilItEnds();
      expect(store.increment('a').totalHits).toBe(1);
    },
  );

  it('drops the oldest window if there are too many', () => {
    const store = new MemoryStore(hourMs, 2);
    for (const key of ['a', 'b', 'c']) store.increment(key);
    expect(store.increment('c').totalHits).toBe(2);
    expect(store.increment('a').totalHits).toBe(1);
  });
});

const stepMs = 2;

/** Work that takes some time in each of its steps. */
function* workOf(steps: number): Steps<number> {
  for (let step = 0; step < steps; step += 1) {
    const endsAtMs = performance.now() + stepMs;
    while (performance.now() < endsAtMs);
    yield;
  }
  return steps;
}

describe('runInTurns', () => {
  it('lets others have a turn after each step, however much work is running', async () => {
    let turns = 0;
    let isOver = false;
    const count = async (): Promise<void> => {
      while (!isOver) {
        await new Promise((resolve) => setImmediate(resolve));
        turns += 1;
      }
    };
    const counting = count();
    const works = [runInTurns(workOf(5)), runInTurns(workOf(5)), runInTurns(workOf(5))];
    expect(await Promise.all(works)).toEqual([5, 5, 5]);
    isOver = true;
    await counting;
    // Not 15, because each piece of work runs its first step at once.
    expect(turns).toBeGreaterThanOrEqual(12);
  });

  it('rejects if the work throws', async () => {
    function* failing(): Steps<void> {
      yield;
      throw new Error('no');
    }
    await expect(runInTurns(failing())).rejects.toThrow('no');
  });
});
