import { describe, expect, it } from '@jest/globals';
import request from 'supertest';
import { createTestGateway } from './support.js';

describe('health', () => {
  it('is told without a key, in the envelope', async () => {
    const { app, keys } = createTestGateway();
    for (const path of ['/livez', '/readyz']) {
      const response = await request(app).get(path).expect(200);
      expect(response.body).toMatchObject({ success: true, data: {} });
      await request(app).head(path).expect(200);
    }
    expect(keys.lookUps).toBe(0);
  });

  it('keeps liveness while readiness fails, and says nothing of why', async () => {
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
    expect(response.body).toEqual({ success: false, message: 'Not ready', statusCode: 503 });
    expect(lines.join('')).toContain('connect 10.0.0.1');
    ready = true;
    await request(app).get('/readyz').expect(200);
  });

  it('asks the database once for many askers', async () => {
    let checks = 0;
    const { app } = createTestGateway({
      readiness: async () => {
        checks++;
        await new Promise((resolve) => setTimeout(resolve, 20));
      },
    });
    await Promise.all(Array.from({ length: 20 }, () => request(app).get('/readyz').expect(200)));
    expect(checks).toBe(1);
  });

  it('is not ready when the check does not end', async () => {
    const { app } = createTestGateway({ readiness: () => new Promise<void>(() => undefined) });
    await request(app).get('/readyz').expect(503);
  });
});

describe('overload', () => {
  it('answers 503 with Retry-After beyond the bound, and recovers when requests end', async () => {
    const { app, key, behaviour } = createTestGateway({ maxInFlight: 4 });
    const waiting: (() => void)[] = [];
    behaviour.run = () => new Promise<void>((resolve) => void waiting.push(resolve));
    const server = app.listen(0);
    try {
      const call = () => request(server).get('/v1/things').set('x-api-key', key);
      const accepted = Array.from({ length: 4 }, () => call().then((response) => response.status));
      while (waiting.length < 4) await new Promise((resolve) => setTimeout(resolve, 5));
      const refused = await call().expect(503);
      expect(refused.headers['retry-after']).toBe('1');
      expect(refused.body).toMatchObject({ success: false, statusCode: 503 });
      await request(server).get('/livez').expect(200);
      for (const release of waiting) release();
      expect(await Promise.all(accepted)).toEqual([200, 200, 200, 200]);
      delete behaviour.run;
      await call().expect(200);
    } finally {
      server.close();
    }
  });

  it('sheds load while the event loop is late, and takes it again soon after', async () => {
    const { app, key } = createTestGateway({ maxEventLoopDelayMs: 50 });
    const call = () => request(app).get('/v1/things').set('x-api-key', key);
    let blocking = true;
    const block = (): void => {
      const until = performance.now() + 120;
      while (performance.now() < until);
      if (blocking) setImmediate(block);
    };
    block();
    const untilStatus = async (status: number): Promise<void> => {
      while ((await call()).status !== status) await new Promise((resolve) => setTimeout(resolve, 20));
    };
    await untilStatus(503);
    blocking = false;
    await untilStatus(200);
  });
});
