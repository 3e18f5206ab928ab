import { once } from 'node:events';
import { connect } from 'node:net';
import { describe, expect, it, test } from '@jest/globals';
import { findFreePort, until } from '@crm/testing';
import { pino } from 'pino';
import { startAdminServer } from '../src/index.js';
import { block, createTestGateway, parseRaw, sendRaw, withServer } from './support.js';

const envelope = (statusCode: number) => ({ success: false, message: expect.any(String) as unknown, statusCode });

describe('time limits', () => {
  it('are 15 s for a request and 10 s for its headers by default, and 65 s for an idle connection', async () => {
    await withServer(createTestGateway(), async ({ server }) => {
      expect(server).toMatchObject({ keepAliveTimeout: 65_000, requestTimeout: 15_000, headersTimeout: 10_000 });
    });
  });

  it('give 408 in the envelope for requests, headers and bodies that do not arrive, with one log line each', async () => {
    const gateway = createTestGateway();
    const head = `POST /v1/things/search HTTP/1.1\r\nHost: a\r\nx-api-key: ${gateway.key}\r\nX-Request-Id: slow-body\r\nContent-Type: application/json\r\nContent-Length: 9\r\n\r\n{`;
    const starts = [[], ['GET / HTTP/1.1\r\nHost:'], [head]];
    await withServer(
      gateway,
      async ({ port }) => {
        const late = (await Promise.all(starts.map((parts) => sendRaw(port, ...parts)))).map(parseRaw);
        for (const { body } of late) expect(body).toMatchObject(envelope(408));
        expect(late[1]?.head).toMatch(/x-request-id: [0-9a-f-]{36}/i);
        expect(late[2]?.head).toMatch(/x-request-id: slow-body/i);
        await until(() => gateway.lines.length >= 3);
        const lines = gateway.lines.map((line) => JSON.parse(line) as Record<string, unknown>);
        expect(lines.map(({ status }) => status)).toEqual([408, 408, 408]);
      },
      { requestTimeoutMs: 300, headersTimeoutMs: 200 },
    );
  });

  it('close an idle connection without another response', async () => {
    await withServer(
      createTestGateway(),
      async ({ port }) => {
        const answer = await sendRaw(port, 'GET /livez HTTP/1.1\r\nHost: a\r\n\r\n');
        expect(answer).toMatch(/connection: keep-alive/i);
        expect(parseRaw(answer)).toMatchObject({ status: 200 });
      },
      { keepAliveTimeoutMs: 100 },
    );
  });
});

test('the admin port has the same time limits', async () => {
  const port = await findFreePort();
  const options = { host: '127.0.0.1', port, logger: pino({ level: 'silent' }) };
  const metrics = { contentType: 'text/plain', render: () => Promise.resolve('metric 1\n') };
  const timeouts = { requestTimeoutMs: 300, headersTimeoutMs: 200, keepAliveTimeoutMs: 100 };
  const stop = await startAdminServer({ ...options, ...timeouts, metrics });
  const starts = [
    '',
    'GET /metrics HTTP/1.1\r\nHost:',
    'POST /metrics HTTP/1.1\r\nHost: a\r\nContent-Length: 9\r\n\r\n{',
  ];
  // Each of these connections is closed by the server, or this would wait forever.
  const late = await Promise.all(starts.map((start) => sendRaw(port, start)));
  expect(late.map((answer) => answer.slice(9, 12))).toEqual(['408', '408', '404']);
  expect(await sendRaw(port, 'GET /metrics HTTP/1.1\r\nHost: a\r\n\r\n')).toMatch(/200 OK[^]*metric 1\n/);
  await stop();
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

describe('stopping', () => {
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
      // The bytes are in the server's socket at once. It cannot read them until its timer fires.
      await new Promise<void>((resolve) => {
        setImmediate(() => {
          socket.write('GET /livez HTTP/1.1\r\nHost: a\r\n\r\n');
          block(1_100);
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

  it('works on for the delay while it is not ready, and then closes its port', async () => {
    const gateway = createTestGateway();
    const ask = async (port: number, path: string) =>
      parseRaw(
        await sendRaw(
          port,
          `GET ${path} HTTP/1.1\r\nHost: a\r\nx-api-key: ${gateway.key}\r\nConnection: close\r\n\r\n`,
        ),
      );
    await withServer(
      gateway,
      async (running) => {
        const stopped = running.stop();
        expect(await ask(running.port, '/readyz')).toMatchObject({ status: 503, body: { message: 'Shutting down' } });
        expect(await ask(running.port, '/livez')).toMatchObject({ status: 200 });
        expect(await ask(running.port, '/v1/things')).toMatchObject({ status: 200 });
        await stopped;
        await expect(ask(running.port, '/livez')).rejects.toThrow('ECONNREFUSED');
      },
      { shutdownDelayMs: 2_000 },
    );
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
