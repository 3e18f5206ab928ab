import { connect, type Socket } from 'node:net';
import { describe, expect, it } from '@jest/globals';
import { defaultRateLimits, GatewayActivity } from '../src/index.js';
import { until } from '@crm/testing';
import { createTestGateway, type TestGateway, withServer } from './support.js';

/** Larger than the network buffers, so that a part of a response stays in the process. */
const answerBytes = 12_000_000;
const longAnswer = JSON.stringify('x'.repeat(answerBytes));
const pollMs = 150;

const open = (port: number): Promise<Socket> =>
  new Promise((resolve) => {
    const socket = connect(port, '127.0.0.1', () => resolve(socket));
    socket.on('error', () => undefined);
  });

const statusOf = async (port: number, gateway: TestGateway): Promise<number> =>
  (await fetch(`http://127.0.0.1:${port}/v1/things`, { headers: { 'x-api-key': gateway.key } })).status;

const listHead = (gateway: TestGateway): string =>
  `GET /v1/things HTTP/1.1\r\nHost: a\r\nx-api-key: ${gateway.key}\r\n\r\n`;

const searchHead = (gateway: TestGateway, length: number): string =>
  `POST /v1/things/search HTTP/1.1\r\nHost: a\r\nx-api-key: ${gateway.key}\r\n` +
  `Content-Type: application/json\r\nContent-Length: ${length}\r\n\r\n`;

describe('deliberately slow clients do not block the process', () => {
  it('if they send headers or a body one character at a time: they are cut off after their time', async () => {
    const gateway = createTestGateway();
    await withServer(
      gateway,
      async ({ port }) => {
        const starts = ['GET /v1/things HTTP/1.1\r\nHost: a\r\n', `${searchHead(gateway, 10_000)}{"a":"`];
        const sockets = await Promise.all(starts.map(() => open(port)));
        for (const [index, socket] of sockets.entries()) socket.resume().write(starts[index] ?? '');
        const trickle = setInterval(() => sockets.forEach((socket) => !socket.destroyed && socket.write('x')), 50);
        expect(await statusOf(port, gateway)).toBe(200);
        await until(() => sockets.every((socket) => socket.closed));
        clearInterval(trickle);
        expect(await statusOf(port, gateway)).toBe(200);
      },
      { requestTimeoutMs: 600, headersTimeoutMs: 400 },
    );
  });

  it.each([
    ['all places of an organization make room for it', 5, 'org-1'],
    ['all places make room for the others', 6, 'org-3'],
  ])('if they take %s with slow bodies: only then are slow bodies dropped', async (_what, count, organizationId) => {
    const perMinute = { ...defaultRateLimits, list: 0, search: 0 };
    const gateway = createTestGateway({ maxInFlight: 6, limits: { perMinute } });
    const caller = { ...gateway, key: gateway.keys.add({ organizationId }) };
    const [second, third] = ['org-2', 'org-4'].map((id) => ({
      ...gateway,
      key: gateway.keys.add({ organizationId: id }),
    }));
    await withServer(gateway, async ({ port }) => {
      const sockets = await Promise.all(Array.from({ length: count }, () => open(port)));
      const texts = sockets.map((socket) => {
        let text = '';
        socket.on('data', (bytes: Buffer) => (text += bytes.toString()));
        return () => text;
      });
      for (const [index, socket] of sockets.entries()) {
        // The second organization's request is the oldest. Without it, the first one has its share: four.
        socket.write(`${searchHead({ 0: second, 5: third }[index] ?? gateway, 10)}{`);
      }
      // They are not yet slow enough to be dropped.
      await until(async () => (await statusOf(port, caller)) === 503, pollMs);
      await until(async () => (await statusOf(port, caller)) === 200, pollMs);
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
    const bounds = { maxBytesInFlight: 4.25 * answerBytes, maxPageBytes: answerBytes };
    const gateway = createTestGateway({ activity, ...bounds });
    const other = { ...gateway, key: gateway.keys.add({ organizationId: 'org-2' }) };
    gateway.behaviour.answer = longAnswer;
    await withServer(gateway, async ({ port }) => {
      // The share of an organization is 3.4 such responses.
      const sockets = await Promise.all([1, 2, 3].map(() => open(port)));
      for (const socket of sockets) socket.pause().write(listHead(gateway));
      await until(() => activity.answerBytes() > 3 * answerBytes);
      gateway.behaviour.answer = '""';
      expect(await statusOf(port, gateway)).toBe(503);
      expect(await statusOf(port, other)).toBe(200);
      expect(activity.answerBytes()).toBeLessThanOrEqual(3.4 * answerBytes);
      for (const socket of sockets) socket.destroy();
      await until(() => activity.answerBytes() === 0 && activity.inFlight() === 0);
      expect(await statusOf(port, gateway)).toBe(200);
    });
  });

  it('if they stop reading a response: they are cut off, and clients that read bit by bit are not', async () => {
    const gateway = createTestGateway();
    // The system reports progress after a megabyte or more, so the slow client has to read several in the time that the other one has.
    const length = 40_000_000;
    gateway.behaviour.answer = JSON.stringify('x'.repeat(length));
    await withServer(
      gateway,
      async ({ port, server }) => {
        const [stuck, slow] = [await open(port), await open(port)];
        const taken = { stuck: 0, slow: 0 };
        stuck.on('data', (bytes: Buffer) => (taken.stuck += bytes.length)).pause();
        slow.on('data', (bytes: Buffer) => {
          taken.slow += bytes.length;
          slow.pause();
        });
        const trickle = setInterval(() => slow.resume(), 10);
        try {
          for (const socket of [stuck, slow]) socket.write(listHead(gateway));
          // Sockets that are not read do not notice that they were closed, so this asks the server.
          const connections = () => new Promise((resolve) => server.getConnections((_error, count) => resolve(count)));
          await until(async () => (await connections()) === 1, pollMs);
          const takenThen = taken.slow;
          expect(takenThen).toBeLessThan(length);
          await until(() => taken.slow > takenThen + 200_000);
          stuck.resume();
          await until(() => stuck.closed);
          expect(taken.stuck).toBeLessThan(length);
        } finally {
          clearInterval(trickle);
          for (const socket of [stuck, slow]) socket.destroy();
        }
      },
      { answerStallMs: 2_500 },
    );
  });

  it('if they do not read responses: they lose their places among the running requests', async () => {
    const perMinute = { ...defaultRateLimits, list: 0 };
    const gateway = createTestGateway({ maxInFlight: 1, limits: { perMinute } });
    gateway.behaviour.answer = longAnswer;
    await withServer(
      gateway,
      async ({ port }) => {
        const socket = await open(port);
        socket.pause().write(listHead(gateway));
        await until(async () => (await statusOf(port, gateway)) === 503, pollMs);
        gateway.behaviour.answer = '""';
        await until(async () => (await statusOf(port, gateway)) === 200, pollMs);
        socket.destroy();
      },
      { answerTimeoutMs: 300 },
    );
  });
});
