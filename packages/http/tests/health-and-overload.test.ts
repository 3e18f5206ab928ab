import { describe, expect, it } from '@jest/globals';
import { pino } from 'pino';
import request from 'supertest';
import { ApiError, type ErrorCode, errorCatalogue, Failure, hashApiKey } from '@crm/domain';
import { defaultRateLimits, NotReadyError, startAdminServer } from '../src/index.js';
import { findFreePort, until } from '@crm/testing';
import { block, createTestGateway, KeyRing, sleep, withServer } from './support.js';

/** Only a guard: a request that should be refused at once must not wait for ever. */
const patienceMs = 10_000;

describe('health', () => {
  it('is public, in the envelope', async () => {
    const { app, keys } = createTestGateway();
    for (const path of ['/livez', '/readyz']) {
      const response = await request(app).get(path).expect(200);
      expect(response.body).toMatchObject({ success: true, data: {} });
      await request(app).head(path).expect(200);
    }
    expect(keys.lookUps).toBe(0);
  });

  it('stays live while it is not ready, and does not show the reason', async () => {
    let checks = 0;
    let ready = false;
    const { app, lines } = createTestGateway({
      readiness: () => {
        checks++;
        return ready ? Promise.resolve() : Promise.reject(new Error('connect 10.0.0.1'));
      },
    });
    await request(app).get('/livez').expect(200);
    expect(checks).toBe(0);
    const response = await request(app).get('/readyz').expect(503);
    expect(response.body).toEqual({ success: false, message: 'Not ready', statusCode: 503, code: 'unavailable' });
    expect(lines.join('')).toContain('connect 10.0.0.1');
    ready = true;
    await request(app).get('/readyz').expect(200);
  });

  it('shows a reason that is fit for everybody, and logs it once', async () => {
    let reason: string | null = 'The database is a standby';
    const readiness = () => (reason === null ? Promise.resolve() : Promise.reject(new NotReadyError(reason)));
    const { app, lines } = createTestGateway({ readiness });
    for (let count = 0; count < 3; count += 1) {
      const response = await request(app).get('/readyz').expect(503);
      expect(response.body).toMatchObject({ message: 'The database is a standby', code: 'unavailable' });
    }
    reason = null;
    await request(app).get('/readyz').expect(200);
    const logged = lines.map((line) => JSON.parse(line) as { msg: string }).filter(({ msg }) => msg.includes('ready'));
    expect(logged).toMatchObject([{ msg: 'not ready', reason: 'The database is a standby' }, { msg: 'ready again' }]);
  });

  it('checks the database once for many parallel requests', async () => {
    let checks = 0;
    const { app } = createTestGateway({
      readiness: async () => {
        checks++;
        await sleep(20);
      },
    });
    await Promise.all(Array.from({ length: 4 }, () => request(app).get('/readyz').expect(200)));
    expect(checks).toBe(1);
  });

  it('is not ready if the check does not end', async () => {
    const { app } = createTestGateway({ readiness: () => new Promise<void>(() => undefined) });
    await request(app).get('/readyz').expect(503);
  });
});

describe('503', () => {
  const codes = (Object.keys(errorCatalogue) as ErrorCode[]).filter((code) => errorCatalogue[code].status === 503);
  const errors = { filters: 'took too long: add a filter' };
  const causes: readonly (readonly [cause: string, error: Error, wait: string | undefined])[] = [
    ['a statement that took too long', new Failure({ kind: 'timeout' }), '1'],
    ['a database that is away', new Failure({ kind: 'unavailable' }), '1'],
    ['a deletion that has begun', new Failure({ kind: 'deletion_unfinished' }), '1'],
    ['a cause that names its wait', new ApiError('unavailable', { headers: { 'Retry-After': '60' } }), '60'],
    ...codes.map((code) => [`the code ${code}`, new ApiError(code), '1'] as const),
    ...codes.map((code) => [`the code ${code} with errors`, new ApiError(code, { errors }), undefined] as const),
  ];

  it.each(causes)('says when to come back, or what to change: %s', async (_cause, error, wait) => {
    const { app, key, behaviour } = createTestGateway();
    behaviour.run = () => Promise.reject(error);
    const response = await request(app).get('/v1/things').set('x-api-key', key).expect(503);
    expect(response.headers['retry-after']).toBe(wait);
    expect((response.body as { errors?: object }).errors).toEqual(wait === undefined ? errors : undefined);
  });

  it('of /readyz and of the port for metrics says when to come back', async () => {
    const readiness = () => Promise.reject(new NotReadyError('The database is a standby'));
    const { app } = createTestGateway({ readiness });
    expect((await request(app).get('/readyz').expect(503)).headers['retry-after']).toBe('1');
    const metrics = { contentType: 'text/plain', render: () => Promise.resolve('') };
    const port = await findFreePort();
    const logger = pino({ level: 'silent' });
    const close = await startAdminServer({ host: '127.0.0.1', port, metrics, logger, readiness });
    const answer = await fetch(`http://127.0.0.1:${port}/readyz`);
    expect([answer.status, answer.headers.get('retry-after')]).toEqual([503, '1']);
    await close();
  });
});

describe('overload', () => {
  it('answers 503 with Retry-After past the share and the limit, and recovers when requests end', async () => {
    const gateway = createTestGateway({ maxInFlight: 5 });
    const { keys, key, behaviour } = gateway;
    const waiting: (() => void)[] = [];
    behaviour.run = () => new Promise<void>((resolve) => void waiting.push(resolve));
    await withServer(gateway, async ({ server }) => {
      const call = (as = key) => request(server).get('/v1/things').set('x-api-key', as);
      const others = ['org-2', 'org-3'].map((organizationId) => keys.add({ organizationId }));
      const accepted = Array.from({ length: 4 }, () => call().then((response) => response.status));
      await until(() => waiting.length === 4);
      const refused = await call().timeout(patienceMs).expect(503);
      expect(refused.headers['retry-after']).toBe('1');
      expect(refused.body).toMatchObject({ success: false, statusCode: 503 });
      // Another organization gets the last place. After that there is none for any organization.
      accepted.push(call(others[0]).then((response) => response.status));
      await until(() => waiting.length === 5);
      await call(others[1]).timeout(patienceMs).expect(503);
      await request(server).get('/livez').expect(200);
      for (const release of waiting) release();
      expect(await Promise.all(accepted)).toEqual([200, 200, 200, 200, 200]);
      delete behaviour.run;
      await call().expect(200);
    });
  });

  it('counts refused requests against the limit of their key', async () => {
    const perMinute = { ...defaultRateLimits, list: 6 };
    const gateway = createTestGateway({ maxInFlight: 2, limits: { perMinute } });
    const { key, behaviour } = gateway;
    let release = (): void => undefined;
    const isRunning = new Promise<void>((resolve) => {
      behaviour.run = () => new Promise<void>((end) => resolve(void (release = end)));
    });
    await withServer(gateway, async ({ server }) => {
      const call = () => request(server).get('/v1/things').set('x-api-key', key).timeout(patienceMs);
      const accepted = call().then((response) => response.status);
      await isRunning;
      const statuses: number[] = [];
      for (let index = 0; index < 7; index += 1) statuses.push((await call()).status);
      expect(statuses).toEqual([503, 503, 503, 503, 503, 429, 429]);
      release();
      expect(await accepted).toBe(200);
    });
  });

  it('leaves room for other keys while many requests wait for the lookup of one key', async () => {
    const keys = new KeyRing();
    let answer = (): void => undefined;
    const slow = keys.add();
    const other = keys.add({ organizationId: 'org-2' });
    const slowHash = hashApiKey(slow).toString('hex');
    const findApiKeysByHash = async (hashes: readonly Buffer[]) => {
      if (hashes.some((hash) => hash.toString('hex') === slowHash))
        await new Promise<void>((resolve) => (answer = resolve));
      return keys.find(hashes);
    };
    const gateway = createTestGateway({ maxInFlight: 5, authentication: { findApiKeysByHash } });
    await withServer(gateway, async ({ server }) => {
      const call = (key: string) => request(server).get('/v1/things').set('x-api-key', key).timeout(patienceMs);
      const burst = Array.from({ length: 8 }, () => call(slow).then((response) => response.status));
      // The requests past the share are refused at once.
      expect(await Promise.race(burst)).toBe(503);
      await call(other).expect(200);
      answer();
      expect((await Promise.all(burst)).sort()).toEqual([200, 200, 200, 200, 503, 503, 503, 503]);
      await call(slow).expect(200);
    });
  });

  it('makes bulk calls of an organization wait for their turn, but not those of others', async () => {
    const gateway = createTestGateway({ maxBulkPerOrganization: 2 });
    const { keys, behaviour } = gateway;
    const allowedOperations = ['bulk'];
    const [key, other] = ['org-1', 'org-2'].map((organizationId) => keys.add({ organizationId, allowedOperations }));
    const running: (() => void)[] = [];
    behaviour.run = () => new Promise<void>((resolve) => void running.push(resolve));
    await withServer(gateway, async ({ server }) => {
      const call = (as = '') => request(server).post('/v1/things/bulk').set('x-api-key', as).send({});
      const calls = Array.from({ length: 5 }, () => call(key).then((response) => response.status));
      await until(() => running.length === 2);
      calls.push(call(other).then((response) => response.status));
      await until(() => running.length === 3);
      // Beside another organization, one bulk call runs at a time. Those that wait two seconds are refused.
      running.splice(0, 2).forEach((finish) => finish());
      await until(() => running.length === 2);
      let refused = 0;
      for (const status of calls) void status.then((code) => (refused += code === 503 ? 1 : 0));
      await until(() => refused === 2);
      for (const finish of running) finish();
      expect((await Promise.all(calls)).sort()).toEqual([200, 200, 200, 200, 503, 503]);
    });
  });

  it('sheds load while the event loop is delayed, and accepts requests again soon after', async () => {
    const { app, key } = createTestGateway({ maxEventLoopDelayMs: 50 });
    const call = () => request(app).get('/v1/things').set('x-api-key', key);
    let isBlocking = true;
    const keepBlocking = (): void => {
      block(120);
      if (isBlocking) setImmediate(keepBlocking);
    };
    keepBlocking();
    await until(async () => (await call()).status === 503, 100);
    isBlocking = false;
    await until(async () => (await call()).status === 200, 100);
  });
});
