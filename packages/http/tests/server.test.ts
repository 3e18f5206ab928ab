import { once } from 'node:events';
import { Agent, request as httpRequest } from 'node:http';
import { connect } from 'node:net';
import { describe, expect, it } from '@jest/globals';
import { defaultRateLimits } from '../src/index.js';
import { createTestGateway, parseRaw, sendRaw, until } from './support.js';
import { withServer } from './with-server.js';

const sleep = (ms: number): Promise<void> => new Promise((resolve) => setTimeout(resolve, ms));
const envelope = (statusCode: number) => ({ success: false, message: expect.any(String) as unknown, statusCode });

describe('requests that Node refuses by itself', () => {
  it.each([
    ['broken HTTP', 'NONSENSE\r\n\r\n', 400],
    ['a bad header', 'GET / HTTP/1.1\r\nHost: a\r\nbad header: 1\r\n\r\n', 400],
    ['two body lengths', 'POST / HTTP/1.1\r\nHost: a\r\nContent-Length: 1\r\nContent-Length: 2\r\n\r\na', 400],
    ['no host', 'GET /livez HTTP/1.1\r\nConnection: close\r\n\r\n', 400],
    ['headers of 20 KB', `GET / HTTP/1.1\r\nHost: a\r\nx: ${'x'.repeat(20_000)}\r\n\r\n`, 431],
    ['CONNECT', 'CONNECT a:1 HTTP/1.1\r\nHost: a\r\n\r\n', 405],
  ])('R21: are answered in the envelope: %s', async (_name, text, status) => {
    await withServer(createTestGateway(), async ({ port }) => {
      const answer = parseRaw(await sendRaw(port, text));
      expect(answer.status).toBe(status);
      expect(answer.body).toMatchObject(envelope(status));
      expect(answer.head).toMatch(/x-request-id: [0-9a-f-]{36}/i);
    });
  });

  it('get 408 in the envelope for headers and bodies that do not arrive, with one log line each', async () => {
    const gateway = createTestGateway();
    await withServer(
      gateway,
      async ({ port }) => {
        const late = parseRaw(await sendRaw(port, 'GET / HTTP/1.1\r\nHost:'));
        expect(late.body).toMatchObject(envelope(408));
        expect(late.head).toMatch(/x-request-id: [0-9a-f-]{36}/i);
        const head = `POST /v1/things/search HTTP/1.1\r\nHost: a\r\nx-api-key: ${gateway.key}\r\nX-Request-Id: slow-body\r\nContent-Type: application/json\r\nContent-Length: 9\r\n\r\n{`;
        const slow = parseRaw(await sendRaw(port, head));
        expect(slow.body).toMatchObject(envelope(408));
        expect(slow.head).toMatch(/x-request-id: slow-body/i);
        await until(() => gateway.lines.length >= 2);
        const lines = gateway.lines.map((line) => JSON.parse(line) as Record<string, unknown>);
        expect(lines.map(({ status }) => status)).toEqual([408, 408]);
      },
      { requestTimeoutMs: 300, headersTimeoutMs: 200 },
    );
  });

  it('are not refused for an Expect header, which is ignored', async () => {
    await withServer(createTestGateway(), async ({ port }) => {
      const text = 'GET /livez HTTP/1.1\r\nHost: a\r\nExpect: tea\r\nConnection: close\r\n\r\n';
      expect(parseRaw(await sendRaw(port, text)).status).toBe(200);
    });
  });
});

describe('idle connections', () => {
  const alive = 'GET /livez HTTP/1.1\r\nHost: a\r\n\r\n';

  it('close after 65 s by default; requests must arrive in 15 s, their headers in 10 s', async () => {
    await withServer(createTestGateway(), async ({ server }) => {
      expect(server).toMatchObject({ keepAliveTimeout: 65_000, requestTimeout: 15_000, headersTimeout: 10_000 });
    });
  });

  it('close after their time without another response', async () => {
    await withServer(
      createTestGateway(),
      async ({ port }) => {
        const answer = await sendRaw(port, alive);
        expect(answer).toMatch(/connection: keep-alive/i);
        expect(parseRaw(answer)).toMatchObject({ status: 200 });
      },
      { keepAliveTimeoutMs: 100 },
    );
  });

  it('close if no request ever arrives', async () => {
    await withServer(
      createTestGateway(),
      async ({ port }) => {
        expect(parseRaw(await sendRaw(port)).body).toMatchObject(envelope(408));
      },
      { requestTimeoutMs: 300, headersTimeoutMs: 200 },
    );
  });
});

describe('a port that is taken', () => {
  it('is named in the error', async () => {
    await withServer(createTestGateway(), async ({ port }) => {
      await expect(withServer(createTestGateway(), async () => undefined, { port })).rejects.toThrow(
        `Port ${port} on 127.0.0.1 is already in use`,
      );
    });
  });
});

interface Load {
  readonly failures: string[];
  answered: number;
}

/** Sends requests in a row over one keep-alive connection until the server refuses new connections. */
const callUntilRefused = async (port: number, key: string, agent: Agent, load: Load): Promise<void> => {
  for (;;) {
    const outcome = await new Promise<string>((resolve) => {
      const call = httpRequest(
        { port, host: '127.0.0.1', path: '/v1/things', agent, headers: { 'x-api-key': key } },
        (response) => {
          response.resume();
          response.on('end', () => resolve(String(response.statusCode)));
          response.on('error', (error) => resolve(error.message));
        },
      );
      call.on('error', (error: NodeJS.ErrnoException) => resolve(error.code ?? error.message));
      call.end();
    });
    if (outcome === 'ECONNREFUSED') return;
    if (outcome === '200') load.answered++;
    else load.failures.push(outcome);
  }
};

describe('stopping', () => {
  it('R14: loses no request under load, twenty times', async () => {
    const load: Load = { failures: [], answered: 0 };
    for (let round = 0; round < 20; round++) {
      const gateway = createTestGateway({ limits: { perMinute: { ...defaultRateLimits, list: 0 } } });
      gateway.behaviour.run = () => sleep(2);
      await withServer(gateway, async (running) => {
        const agent = new Agent({ keepAlive: true, maxSockets: 16 });
        const calls = Array.from({ length: 16 }, () => callUntilRefused(running.port, gateway.key, agent, load));
        await sleep(30 + round);
        await running.stop();
        await Promise.all(calls);
        agent.destroy();
      });
    }
    expect(load.failures).toEqual([]);
    expect(load.answered).toBeGreaterThan(20 * 16);
  });

  it('answers a request that has arrived but was not read when idle connections are closed', async () => {
    const gateway = createTestGateway();
    await withServer(gateway, async (running) => {
      const socket = connect(running.port, '127.0.0.1');
      let received = '';
      socket.on('data', (chunk: Buffer) => (received += chunk.toString()));
      const ended = once(socket, 'close');
      socket.write('GET /livez HTTP/1.1\r\nHost: a\r\n\r\n');
      await until(() => received !== '');
      received = '';
      const stopped = running.stop();
      await until(() => !running.server.listening);
      // The bytes are in the server's socket at once. The busy loop keeps it from reading them until its timer fires.
      await new Promise<void>((resolve) => {
        setImmediate(() => {
          socket.write('GET /livez HTTP/1.1\r\nHost: a\r\n\r\n');
          for (const busyUntilMs = performance.now() + 1_100; performance.now() < busyUntilMs;);
          resolve();
        });
      });
      await Promise.all([ended, stopped]);
      expect(received).toMatch(/^HTTP\/1\.1 200 /);
    });
  });

  it('answers running requests, closes their connections, refuses new ones and releases resources last', async () => {
    const gateway = createTestGateway();
    let release: () => void = () => undefined;
    let entered: () => void = () => undefined;
    const inWork = new Promise<void>((resolve) => (entered = resolve));
    gateway.behaviour.run = async () => {
      await new Promise<void>((resolve) => {
        release = resolve;
        entered();
      });
      order.push('worked');
    };
    const order: string[] = [];
    await withServer(
      gateway,
      async (running) => {
        const head = `GET /v1/things HTTP/1.1\r\nHost: a\r\nx-api-key: ${gateway.key}\r\n\r\n`;
        const answer = sendRaw(running.port, head);
        await inWork;
        const stopped = running.stop();
        expect(running.stop()).toBe(stopped);
        await until(() => !running.server.listening);
        await expect(sendRaw(running.port, head)).rejects.toThrow('ECONNREFUSED');
        release();
        const { status, head: headers } = parseRaw(await answer);
        expect(status).toBe(200);
        expect(headers).toMatch(/connection: close/i);
        await stopped;
        expect(order).toEqual(['worked', 'released']);
      },
      { onStopped: () => void order.push('released') },
    );
  });

  it('makes the gateway not ready at once', async () => {
    const gateway = createTestGateway();
    await withServer(gateway, async (running) => {
      const socket = connect(running.port, '127.0.0.1');
      let text = '';
      socket.on('data', (chunk: Buffer) => (text += chunk.toString()));
      socket.write('GET /readyz HTTP/1.1\r\nHost: a\r\n\r\n');
      await until(() => text.endsWith('}'));
      expect(text).toContain('200 OK');
      text = '';
      const stopped = running.stop();
      const closed = once(socket, 'close');
      await until(() => !running.server.listening);
      socket.write('GET /readyz HTTP/1.1\r\nHost: a\r\n\r\n');
      await Promise.all([stopped, closed]);
      expect(parseRaw(text)).toMatchObject({ status: 503, body: { success: false, statusCode: 503 } });
    });
  });

  it('cuts off requests that do not end in time', async () => {
    const gateway = createTestGateway();
    let isInWork = false;
    gateway.behaviour.run = () => {
      isInWork = true;
      return new Promise<void>(() => undefined);
    };
    await withServer(
      gateway,
      async (running) => {
        const head = `GET /v1/things HTTP/1.1\r\nHost: a\r\nx-api-key: ${gateway.key}\r\n\r\n`;
        const answer = sendRaw(running.port, head);
        await until(() => isInWork);
        await running.stop();
        expect(await answer).toBe('');
      },
      { shutdownTimeoutMs: 200 },
    );
  });
});
