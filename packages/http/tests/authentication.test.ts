import { describe, expect, it } from '@jest/globals';
import { generateApiKey } from '@crm/domain';
import { reportFigure } from '@crm/testing';
import request, { type Response } from 'supertest';
import { bodyOf, createTestGateway, KeyRing, parseRaw, sendRaw, withServer } from './support.js';

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
    expect([...answers]).toHaveLength(1);
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
