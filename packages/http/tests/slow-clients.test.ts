import { connect, type Socket } from 'node:net';
import { describe, expect, it } from '@jest/globals';
import { defaultRateLimits, GatewayActivity } from '../src/index.js';
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

describe('deliberately slow clients do not block the process', () => {
  it.each([
    ['headers', (_gateway: TestGateway) => 'GET /v1/things HTTP/1.1\r\nHost: a\r\n'],
    ['a body', (gateway: TestGateway) => `${searchHead(gateway, 10_000)}{"a":"`],
  ])(
    'if they send %s one character at a time: they are cut off after their time, and others are served',
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

  it.each([
    ['all places of an organization make room for it', 5, 'org-1'],
    ['all places make room for the others', 6, 'org-3'],
  ])('if they take %s with slow bodies: only then are slow bodies dropped', async (_what, count, organizationId) => {
    const perMinute = { ...defaultRateLimits, list: 0, search: 0 };
    const gateway = createTestGateway({ maxInFlight: 6, limits: { perMinute } });
    const caller = { ...gateway, key: gateway.keys.add({ organizationId }) };
    const second = { ...gateway, key: gateway.keys.add({ organizationId: 'org-2' }) };
    await withServer(gateway, async ({ port }) => {
      const sockets = await Promise.all(Array.from({ length: count }, () => open(port)));
      const texts = sockets.map((socket) => {
        let text = '';
        socket.on('data', (bytes: Buffer) => (text += bytes.toString()));
        return () => text;
      });
      for (const [index, socket] of sockets.entries()) {
        // The second organization's request is the oldest. Without it, the first one has its share: four.
        socket.write(`${searchHead(index === 0 || index === 5 ? second : gateway, 10)}{`);
      }
      // They are not yet slow enough to be dropped.
      await until(async () => (await statusOf(port, caller)) === 503);
      await until(async () => (await statusOf(port, caller)) === 200);
      expect(await statusOf(port, caller)).toBe(200);
      await until(() => texts.some((text) => text().startsWith('HTTP/1.1 408')));
      // The other callers are served.
      for (const socket of sockets) socket.write('"a":"bc"}');
      await until(() => texts.every((text) => /^HTTP\/1\.1 (200|400|408)/.test(text())));
      const isGivenUp = texts.map((text) => text().startsWith('HTTP/1.1 408'));
      // While there are places for others, an organization makes room only from its own requests.
      expect(isGivenUp[0]).toBe(count === 6);
      expect(isGivenUp).toContain(false);
      for (const socket of sockets) socket.destroy();
    });
  });

  it('if they leave many bytes of responses unread: they get no more, and others do', async () => {
    const activity = new GatewayActivity();
    const perMinute = { ...defaultRateLimits, search: 0 };
    const bounds = { maxBytesInFlight: 1_000_000, maxPageBytes: 250_000 };
    const gateway = createTestGateway({ activity, limits: { perMinute }, ...bounds });
    const share = 800_000;
    const other = gateway.keys.add({ organizationId: 'org-2' });
    const body = JSON.stringify({ a: 'x'.repeat(200_000) });
    await withServer(gateway, async ({ port }) => {
      const search = async (key: string): Promise<number> => {
        const headers = { 'x-api-key': key, 'content-type': 'application/json' };
        const response = await fetch(`http://127.0.0.1:${port}/v1/things/search`, { method: 'POST', headers, body });
        await response.text();
        expect(activity.answerBytes()).toBeLessThanOrEqual(share);
        return response.status;
      };
      // Each response is larger than the network buffers, so a part of it stays in the process.
      const sockets = await Promise.all(Array.from({ length: 4 }, () => open(port)));
      for (const socket of sockets) {
        socket.pause();
        socket.write(`${searchHead(gateway, Buffer.byteLength(body))}${body}`.repeat(100));
      }
      await until(async () => (await search(gateway.key)) === 503);
      expect(await search(other)).toBe(200);
      for (const socket of sockets) socket.destroy();
      await until(() => activity.answerBytes() === 0 && activity.inFlight() === 0);
      expect(await search(gateway.key)).toBe(200);
    });
  });

  it('if they stop reading a response: they are cut off, and clients that read bit by bit are not', async () => {
    const gateway = createTestGateway();
    const body = JSON.stringify({ a: 'x'.repeat(200_000) });
    const requests = `${searchHead(gateway, Buffer.byteLength(body))}${body}`.repeat(100);
    await withServer(
      gateway,
      async ({ port }) => {
        const [stuck, slow] = [await open(port), await open(port)];
        stuck.pause();
        slow.pause();
        const end = new Promise((resolve) => stuck.once('close', resolve));
        let taken = 0;
        slow.on('data', (bytes: Buffer) => {
          taken += bytes.length;
          slow.pause();
        });
        stuck.write(requests);
        slow.write(requests);
        const trickle = setInterval(() => slow.resume(), 5);
        await end;
        const takenThen = taken;
        await until(() => taken > takenThen + 1_000_000);
        clearInterval(trickle);
        expect(slow.closed).toBe(false);
        slow.destroy();
      },
      { answerStallMs: 300 },
    );
  });

  it('if they do not read responses: they lose their places among the running requests', async () => {
    const perMinute = { ...defaultRateLimits, list: 0, search: 0 };
    const gateway = createTestGateway({ maxInFlight: 1, limits: { perMinute } });
    await withServer(
      gateway,
      async ({ port }) => {
        const socket = await open(port);
        const end = new Promise((resolve) => socket.once('close', resolve));
        socket.pause();
        // Larger than the network buffers, so that a response stays in the process.
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
