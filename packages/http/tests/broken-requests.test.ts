import { connect } from 'node:net';
import { describe, expect, it } from '@jest/globals';
import { createTestGateway, parseRaw, sendRaw, sleep, until, withServer, type TestGateway } from './support.js';

/** An attacker wants the gateway to take this text for a separate request, although the proxy before it did not. */
const smuggled = 'GET /livez HTTP/1.1\r\nHost: smuggled\r\n\r\n';
const chunks = `2\r\n{}\r\n0\r\n\r\n${smuggled}`;

const post = (headers: string, body: string): string =>
  `POST /v1/things/search HTTP/1.1\r\nHost: a\r\nContent-Type: application/json\r\n${headers}\r\n${body}`;
const get = (headers: string): string => `GET /livez HTTP/1.1\r\n${headers}\r\n${smuggled}`;

/** Requests that Node's parser or the gateway refuses, most of them because servers in a row might read them differently. */
const refused: readonly (readonly [string, string, number, string?])[] = [
  ['broken HTTP', 'NONSENSE\r\n\r\n', 400],
  ['a bad header', get('Host: a\r\nbad header: 1\r\n'), 400],
  ['a length and chunks', post('Content-Length: 6\r\nTransfer-Encoding: chunked\r\n', chunks), 400],
  ['chunks twice', post('Transfer-Encoding: chunked\r\nTransfer-Encoding: chunked\r\n', chunks), 400],
  ['identity, then chunks', post('Transfer-Encoding: identity, chunked\r\n', chunks), 400],
  ['a folded header', post('Transfer-Encoding:\r\n chunked\r\n', chunks), 400],
  ['one length twice', post('Content-Length: 2\r\nContent-Length: 2\r\n', `{}${smuggled}`), 400],
  ['a length with a sign', post('Content-Length: +2\r\n', `{}${smuggled}`), 400],
  ['lines without a return', post('', smuggled).replaceAll('\r\n', '\n'), 400],
  ['a chunk beyond any number', post('Transfer-Encoding: chunked\r\n', `FFFFFFFFFFFFFFFFF\r\n${smuggled}`), 400],
  ['an extension of 20 KB', post('Transfer-Encoding: chunked\r\n', `2;${'a'.repeat(20_000)}\r\n{}\r\n`), 413],
  ['no host', get(''), 400, 'validation_failed'],
  ['two hosts', get('Host: a\r\nhost: b\r\n'), 400, 'validation_failed'],
  ['headers of 20 KB', get(`Host: a\r\nx: ${'x'.repeat(20_000)}\r\n`), 431, 'headers_too_large'],
  ['101 headers', get(`Host: a\r\n${'x:\r\n'.repeat(100)}`), 431, 'headers_too_large'],
  ['more headers than Node keeps', get(`Host: a\r\n${'x:\r\n'.repeat(3_000)}`), 431, 'headers_too_large'],
  ['CONNECT', 'CONNECT a:1 HTTP/1.1\r\nHost: a\r\n\r\n', 405],
];

describe('an ambiguous or broken request', () => {
  it('R21: is answered once, in the envelope, and its connection closed', async () => {
    await withServer(createTestGateway(), async ({ port }) => {
      for (const [name, text, statusCode, code] of refused) {
        const answer = await sendRaw(port, text);
        const { status, body, head } = parseRaw(answer);
        expect([name, status, answer.match(/HTTP\/1\.1 /g)?.length]).toEqual([name, statusCode, 1]);
        expect(body).toMatchObject({ success: false, message: expect.any(String) as unknown, statusCode });
        if (code !== undefined) expect(body).toMatchObject({ code });
        expect(head).toMatch(/x-request-id: [0-9a-f-]{36}/i);
      }
    });
  });

  it('gets only one response if it was answered before its body', async () => {
    const limits = { requestTimeoutMs: 300, headersTimeoutMs: 200 };
    await withServer(
      createTestGateway(),
      async ({ port }) => {
        // Without a key the response does not wait for the body. The last of these bodies never ends.
        for (const body of [`2\r\n{}XX0\r\n\r\n${smuggled}`, '2\r\n{}\r\n']) {
          const answer = await sendRaw(port, post('Transfer-Encoding: chunked\r\n', body));
          expect(answer.match(/HTTP\/1\.1 /g)).toHaveLength(1);
          expect(parseRaw(answer).status).toBe(401);
        }
      },
      limits,
    );
  });

  it('is not one with a hundred headers, an Expect header, or a body that looks like a request', async () => {
    await withServer(createTestGateway(), async ({ port }) => {
      const head = 'GET /livez HTTP/1.1\r\nHost: a\r\nConnection: close\r\n';
      const rests = ['x:\r\n'.repeat(98), 'Expect: tea\r\n', `Content-Length: ${smuggled.length}\r\n`];
      for (const rest of rests) {
        const answer = await sendRaw(port, `${head}${rest}\r\n${rest.startsWith('Content') ? smuggled : ''}`);
        expect(answer.match(/HTTP\/1\.1 /g)).toHaveLength(1);
        expect(parseRaw(answer).status).toBe(200);
      }
    });
  });
});

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
      await sleep(20);
    };
    await withServer(gateway, async ({ port }) => {
      // The key is still being looked up, so the body breaks off before the operation runs.
      expect(answersIn(await sendRaw(port, head('GET /v1/things', gateway, 'request-1', brokenBody)))).toEqual([
        [400, 'request-1'],
      ]);
      await until(() => gateway.keys.lookUps === 1);
      await sleep(50);
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
