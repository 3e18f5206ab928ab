import { connect } from 'node:net';
import { ApiError } from '@crm/domain';
import { reportFigure, until } from '@crm/testing';
import { describe, expect, it } from '@jest/globals';
import request from 'supertest';
import { createTestGateway, sendRaw, sleep, withServer } from './support.js';

const parse = (lines: readonly string[]): Record<string, unknown>[] =>
  lines.map((line) => JSON.parse(line) as Record<string, unknown>);

describe('X-Request-Id', () => {
  it("is the caller's if it is well-formed, otherwise a new one, and is on every response", async () => {
    const { app, key } = createTestGateway();
    const wellFormed = [
      'abc_DEF-123',
      // HAProxy, over IPv4 and IPv6.
      '7F000001:C3A8_0A000001:01BB_6926E0A1_0003:0B2C',
      `${'20010DB8'.repeat(4)}:C3A8_${'20010DB8'.repeat(4)}:01BB_6926E0A1_0003:0B2C`,
      // Kong, with the generators uuid#counter and tracker.
      '6c4b1a52-94f4-4d4b-8d51-3bd2f0a7f3a1#17',
      '127.0.0.1-8000-2-6-1-1795245200.512',
      // AWS, and an id in base64.
      'Root=1-67891233-abcdef012345678912345678',
      'q83vEjRWeJA+/w==',
    ];
    for (const id of wellFormed) {
      const given = await request(app).get('/v1/things').set('x-api-key', key).set('x-request-id', id);
      expect(given.headers['x-request-id']).toBe(id);
    }
    for (const bad of ['short', 'a'.repeat(129), 'has space!', 'abcdefgh, abcdefgh', 'abc"defgh', 'ann@acme.com']) {
      const response = await request(app).get('/v1/things').set('x-request-id', bad).expect(401);
      expect(response.headers['x-request-id']).toMatch(/^[0-9a-f-]{36}$/);
    }
  });
});

describe('the request log', () => {
  it('R20: has one line per request with route, status, time and caller', async () => {
    const { app, key, lines } = createTestGateway();
    await request(app).get('/v1/things/1?x=1').set('x-api-key', key);
    await request(app).get('/v1/things/1').set('x-api-key', key).set('x-request-id', 'request-0001');
    await request(app).get('/v1/things');
    await request(app).get('/nothing');
    await until(() => lines.length >= 4);
    const logged = parse(lines);
    expect(logged.map(({ status, route, method }) => [method, route, status])).toEqual([
      ['GET', '/v1/things/{id}', 400],
      ['GET', '/v1/things/{id}', 200],
      ['GET', '/v1/things', 401],
      ['GET', undefined, 404],
    ]);
    expect(logged[1]).toMatchObject({ request_id: 'request-0001', organization_id: 'org-1', api_key_id: 'key-1' });
    expect(logged[1]?.['duration_ms']).toBeGreaterThanOrEqual(0);
    expect(logged[2]).not.toHaveProperty('organization_id');
  });

  it('R20: contains no secret, address or input, and no line that input could forge', async () => {
    const gateway = createTestGateway();
    const { app, key, lines, behaviour } = gateway;
    const canary = 'canary7';
    behaviour.run = () => {
      const cause = Object.assign(
        new Error(`Key (email)=(ann@${canary}.com) \u001b[31m exists for ${key}\n{"forged":1}`),
        {
          code: '23505',
          detail: canary,
          parameters: [canary],
        },
      );
      throw new Error(`connect postgres://crm:(${canary}:7)@db/crm\r\nforged`, { cause });
    };
    await request(app).get(`/v1/things?q=${canary}`).set('x-api-key', key).set('x-canary', canary).expect(500);
    await request(app).post('/v1/things/search').set('x-api-key', key).send({ a: canary }).expect(500);
    await request(app).get(`/v1/things/${canary}%0a{"forged":1}?${canary}`).set('authorization', canary).expect(401);
    await request(app).get(`/${canary}`).set('x-request-id', canary).set('x-forwarded-for', canary).expect(404);
    await withServer(gateway, async ({ port }) => {
      await sendRaw(port, `${canary} / HTTP/1.1\r\nx-api-key: ${key}\r\n\r\n`);
    });
    const noted = () => parse(lines).filter(({ msg }) => msg === 'request');
    await until(() => noted().length >= 5);
    const requests = noted();
    const leaks = lines.filter((line) => [canary, key, '\u001b'].some((secret) => line.includes(secret)));
    reportFigure('R20', 'lines of the log with something secret or forged', leaks.length, 0);
    reportFigure('R20', 'lines about 5 requests', requests.length, 5);
    expect(requests).toHaveLength(5);
    expect(leaks).toEqual([]);
    for (const line of lines) expect(line.indexOf('\n')).toBe(line.length - 1);
    expect(requests[0]).toMatchObject({ level: 50, status: 500, err: { cause: { code: '23505' } } });
  });

  it('records a client that left before its response', async () => {
    const gateway = createTestGateway();
    const isNoted = (): boolean => gateway.lines.length > 0;
    await withServer(gateway, async ({ port }) => {
      const socket = connect(port, '127.0.0.1');
      gateway.behaviour.run = () => {
        socket.destroy();
        return until(isNoted);
      };
      socket.write(`GET /v1/things HTTP/1.1\r\nHost: a\r\nx-api-key: ${gateway.key}\r\n\r\n`);
      await until(isNoted);
      // The operation ends after that. A second line would appear then.
      await sleep(50);
      expect(parse(gateway.lines).map(({ status, cut_off }) => [status, cut_off])).toEqual([[499, true]]);
    });
  });

  it('has no error for requests refused by the gateway itself, as for overload', async () => {
    const { app, key, lines } = createTestGateway({ maxInFlight: 0 });
    await request(app).get('/v1/things').set('x-api-key', key).expect(503);
    const [line, ...others] = parse(lines);
    expect(others).toEqual([]);
    expect(line).toMatchObject({ level: 30, status: 503 });
    expect(line).not.toHaveProperty('err');
  });

  it('has one line about an outage during which some requests succeed', async () => {
    const { app, key, lines, behaviour } = createTestGateway({ isOutage: (error) => error instanceof ApiError });
    const call = (status: number) => request(app).get('/v1/things').set('x-api-key', key).expect(status);
    const cause = new Error('connect ECONNREFUSED');
    for (let round = 0; round < 2; round += 1) {
      behaviour.run = () => Promise.reject(new ApiError('unavailable', { cause }));
      await call(503);
      delete behaviour.run;
      await call(200);
      await request(app).get('/readyz').expect(200);
    }
    expect(lines.filter((line) => line.includes('the database'))).toHaveLength(1);
  });
});
