import { connect } from 'node:net';
import { describe, expect, it } from '@jest/globals';
import { createTestGateway, parseRaw, sendRaw, until, type TestGateway } from './support.js';
import { withServer } from './with-server.js';

const garbage = 'NONSENSE\r\n\r\n';
const head = (method: string, { key }: TestGateway, id: string, rest: string): string =>
  `${method} HTTP/1.1\r\nHost: a\r\nx-api-key: ${key}\r\nX-Request-Id: ${id}\r\n${rest}`;
const search = (gateway: TestGateway, id: string): string =>
  `${head('POST /v1/things/search', gateway, id, 'Content-Type: application/json\r\nContent-Length: 2\r\n')}\r\n{}`;
const brokenBody = 'Transfer-Encoding: chunked\r\n\r\n2\r\n{}XX';

/** The status and the request id of each answer, in order. */
const answersIn = (text: string): readonly (readonly [number, string])[] =>
  [...text.matchAll(/HTTP\/1\.1 (\d+)[^]*?x-request-id: (\S+)/gi)].map(([, status, id = '']) => [Number(status), id]);
const newId = expect.stringMatching(/^[0-9a-f-]{36}$/) as unknown as string;

describe('garbage after a complete request', () => {
  it('is answered after the request, whose operation stays committed', async () => {
    const gateway = createTestGateway();
    await withServer(gateway, async ({ port }) => {
      const answers = await sendRaw(port, `${search(gateway, 'request-1')}${garbage}`);
      expect(answersIn(answers)).toEqual([
        [200, 'request-1'],
        [400, newId],
      ]);
      const pipelined = `${search(gateway, 'request-2')}${search(gateway, 'request-3')}${garbage}`;
      expect(answersIn(await sendRaw(port, pipelined))).toEqual([
        [200, 'request-2'],
        [200, 'request-3'],
        [400, newId],
      ]);
    });
  });

  it('is answered once, however much garbage arrives while the operation runs', async () => {
    const gateway = createTestGateway();
    let finish = (): void => undefined;
    const finished = new Promise<void>((resolve) => (finish = resolve));
    let isRunning = false;
    gateway.behaviour.run = () => {
      isRunning = true;
      return finished;
    };
    await withServer(gateway, async ({ port, server }) => {
      let broken = 0;
      server.on('clientError', () => (broken += 1));
      const socket = connect(port, '127.0.0.1');
      let text = '';
      socket.on('data', (bytes: Buffer) => (text += bytes.toString()));
      socket.write(search(gateway, 'request-1'));
      await until(() => isRunning);
      for (const count of [1, 2, 3]) {
        socket.write(garbage);
        await until(() => broken >= count);
      }
      expect(text).toBe('');
      finish();
      await until(() => socket.closed);
      expect(answersIn(text)).toEqual([
        [200, 'request-1'],
        [400, newId],
      ]);
    });
  });
});

describe('a body that breaks off', () => {
  it('gets 400 with the id of its request', async () => {
    const gateway = createTestGateway();
    await withServer(gateway, async ({ port }) => {
      const request = head('POST /v1/things/search', gateway, 'request-1', 'Content-Type: application/json\r\n');
      const answer = await sendRaw(port, request + brokenBody);
      expect(answersIn(answer)).toEqual([[400, 'request-1']]);
      expect(parseRaw(answer)).toMatchObject({ status: 400, body: { success: false, statusCode: 400 } });
    });
  });

  it('keeps an operation without a body from running, unless it already runs', async () => {
    const gateway = createTestGateway();
    let runs = 0;
    gateway.behaviour.run = async () => {
      runs += 1;
      await new Promise((resolve) => setTimeout(resolve, 20));
    };
    await withServer(gateway, async ({ port }) => {
      // The key is still being looked up, so the body breaks off before the operation runs.
      expect(answersIn(await sendRaw(port, head('GET /v1/things', gateway, 'request-1', brokenBody)))).toEqual([
        [400, 'request-1'],
      ]);
      await until(() => gateway.keys.lookUps === 1);
      await new Promise((resolve) => setTimeout(resolve, 50));
      expect(runs).toBe(0);
      const socket = connect(port, '127.0.0.1');
      let text = '';
      socket.on('data', (bytes: Buffer) => (text += bytes.toString()));
      const [start = '', rest = ''] = brokenBody.split('2\r\n');
      socket.write(head('GET /v1/things', gateway, 'request-2', start));
      await until(() => runs === 1);
      socket.write(`2\r\n${rest}`);
      await until(() => socket.closed);
      expect(answersIn(text)).toEqual([[200, 'request-2']]);
    });
  });
});
