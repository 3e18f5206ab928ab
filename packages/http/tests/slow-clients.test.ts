import { connect, type Socket } from 'node:net';
import { describe, expect, it } from '@jest/globals';
import { defaultRateLimits } from '../src/index.js';
import { createTestGateway, type TestGateway, until } from './support.js';
import { withServer } from './with-server.js';

const slowClients = 20;

const open = (port: number): Promise<Socket> =>
  new Promise((resolve) => {
    const socket = connect(port, '127.0.0.1', () => resolve(socket));
    socket.on('error', () => undefined);
  });

const closed = (socket: Socket): Promise<void> =>
  new Promise((resolve) => {
    socket.once('close', () => resolve());
    socket.resume();
  });

const statusOf = async (port: number, gateway: TestGateway): Promise<number> =>
  (await fetch(`http://127.0.0.1:${port}/v1/things`, { headers: { 'x-api-key': gateway.key } })).status;

const searchHead = (gateway: TestGateway, length: number): string =>
  `POST /v1/things/search HTTP/1.1\r\nHost: a\r\nx-api-key: ${gateway.key}\r\n` +
  `Content-Type: application/json\r\nContent-Length: ${length}\r\n\r\n`;

describe('clients that are slow on purpose do not hold the process', () => {
  it.each([
    ['headers', (_gateway: TestGateway) => 'GET /v1/things HTTP/1.1\r\nHost: a\r\n'],
    ['a body', (gateway: TestGateway) => `${searchHead(gateway, 10_000)}{"a":"`],
  ])(
    'that send %s a character at a time are cut off when their time is up, and others are served',
    async (_what, start) => {
      const gateway = createTestGateway();
      await withServer(
        gateway,
        async ({ port }) => {
          const sockets = await Promise.all(Array.from({ length: slowClients }, () => open(port)));
          for (const socket of sockets) socket.write(start(gateway));
          const trickle = setInterval(() => sockets.forEach((socket) => !socket.destroyed && socket.write('x')), 50);
          const ended = Promise.all(sockets.map(closed));
          expect(await statusOf(port, gateway)).toBe(200);
          await ended;
          clearInterval(trickle);
          expect(await statusOf(port, gateway)).toBe(200);
        },
        { requestTimeoutMs: 600, headersTimeoutMs: 400 },
      );
    },
    60_000,
  );

  it('that take all places with slow bodies make room for the others, and only then', async () => {
    const perMinute = { ...defaultRateLimits, list: 0, search: 0 };
    const gateway = createTestGateway({ maxInFlight: 4, limits: { perMinute } });
    await withServer(gateway, async ({ port }) => {
      const sockets = await Promise.all(Array.from({ length: 4 }, () => open(port)));
      const texts = sockets.map((socket) => {
        let text = '';
        socket.on('data', (bytes: Buffer) => (text += bytes.toString()));
        return () => text;
      });
      for (const socket of sockets) socket.write(`${searchHead(gateway, 10)}{`);
      // They are no slower yet than any body may be.
      expect(await statusOf(port, gateway)).toBe(503);
      await until(async () => (await statusOf(port, gateway)) === 200);
      expect(await statusOf(port, gateway)).toBe(200);
      await until(() => texts.some((text) => text().startsWith('HTTP/1.1 408')));
      // Whoever was not in the way is served.
      for (const socket of sockets) socket.write('"a":"bc"}');
      await until(() => texts.every((text) => /^HTTP\/1\.1 (200|400|408)/.test(text())));
      expect(texts.some((text) => !text().startsWith('HTTP/1.1 408'))).toBe(true);
      for (const socket of sockets) socket.destroy();
    });
  });

  it('that do not read what they asked for give up their place among the requests in work', async () => {
    const perMinute = { ...defaultRateLimits, list: 0, search: 0 };
    const gateway = createTestGateway({ maxInFlight: 1, limits: { perMinute } });
    await withServer(
      gateway,
      async ({ port }) => {
        const socket = await open(port);
        const end = new Promise((resolve) => socket.once('close', resolve));
        socket.pause();
        // More than the buffers on the way hold, so that an answer is stuck in the process.
        const body = JSON.stringify({ a: 'x'.repeat(200_000) });
        const request = `${searchHead(gateway, Buffer.byteLength(body))}${body}`;
        for (let index = 0; index < 100; index += 1) socket.write(request);
        await until(async () => (await statusOf(port, gateway)) === 503);
        await end;
        expect(await statusOf(port, gateway)).toBe(200);
      },
      { answerTimeoutMs: 500 },
    );
  });
});
