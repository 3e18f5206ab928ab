import { connect } from 'node:net';
import { describe, expect, it } from '@jest/globals';
import { reportFigure, until } from '@crm/testing';
import request from 'supertest';
import { defaultRateLimits } from '../src/index.js';
import { bodyOf, createTestGateway, parseRaw, sendRaw, sleep, withServer, type TestGateway } from './support.js';

const gateway = createTestGateway({ limits: { perMinute: { ...defaultRateLimits, list: 0, search: 0 } } });
const { app, key } = gateway;
const post = (body: string | Buffer, contentType = 'application/json') =>
  request(app)
    .post('/v1/things/search')
    .set('x-api-key', key)
    .set('content-type', contentType)
    // Sends bytes, so that the client serializes nothing.
    .serialize((value: unknown) => value as string)
    .send(body as string);

const errorsOf = async (body: string | Buffer): Promise<unknown> => bodyOf(await post(body).expect(400)).errors;

describe('bodies', () => {
  const notStorable = 'must not contain U+0000 or a lone surrogate';
  it.each<[string, string | Buffer, Readonly<Record<string, string>>]>([
    ['is cut off', '{"a":', { body: 'must be valid JSON' }],
    ['begins with two byte order marks', '\ufeff\ufeff{}', { body: 'must be valid JSON' }],
    ['is a list', '[]', { body: 'must be a JSON object' }],
    ['is null', 'null', { body: 'must be a JSON object' }],
    ['has a stray byte', Buffer.from([0x7b, 0x22, 0xff, 0x22, 0x7d]), { body: 'must be valid UTF-8' }],
    ['has surrogates as UTF-8', Buffer.from('{"a":"\xed\xa0\x80"}', 'latin1'), { body: 'must be valid UTF-8' }],
    ['is missing', '', { body: 'is required' }],
    ['has U+0000', '{"a":{"b":["\\u0000"]}}', { 'a.b[0]': notStorable }],
    ['has a lone surrogate', '{"a":"\\udc00"}', { a: notStorable }],
    ['has too large a number', '{"a":1e400}', { a: 'is too large a number' }],
    ['gives a name twice', '{"a":1,"a":2}', { a: 'is given twice' }],
    ['has the name of a prototype', '{"a":{"__proto__":{}}}', { 'a.__proto__': 'is not allowed as a name' }],
  ])('get 400 with a plain text: one that %s', async (_what, body, errors) => {
    expect(await errorsOf(body)).toEqual(errors);
  });

  it('R9: of forty thousand levels are refused at once, as objects and as arrays', async () => {
    for (const [open, close] of [
      ['[', ']'],
      ['{"a":', '}'],
    ] as const) {
      const text = `{"a":${open.repeat(40_000)}1${close.repeat(40_000)}}`;
      const startedAt = process.cpuUsage();
      expect(await errorsOf(text)).toEqual({ body: 'must not nest deeper than 32 levels' });
      const usedMs = Math.round(process.cpuUsage(startedAt).user / 1_000);
      reportFigure('R9', `processor time to refuse 40,000 levels of ${open}, ms`, usedMs, '< 50, printed');
      expect(usedMs).toBeLessThan(500);
    }
  });

  it('of 32 levels are accepted', async () => {
    await post(`{"a":${'['.repeat(31)}${']'.repeat(31)}}`).expect(200);
  });

  it('over 256 KB get 413, with or without a Content-Length, and exactly 256 KB are accepted', async () => {
    const largest = `{"a":"${'x'.repeat(256 * 1024 - 8)}"}`;
    await post(largest).expect(200);
    const announced = await post(`${largest} `).expect(413);
    expect(announced.body).toMatchObject({ success: false, statusCode: 413 });
    await withServer(gateway, async ({ port }) => {
      const head = `POST /v1/things/search HTTP/1.1\r\nHost: a\r\nConnection: close\r\nx-api-key: ${key}\r\nContent-Type: application/json\r\nTransfer-Encoding: chunked\r\n\r\n`;
      const chunk = `10000\r\n${'x'.repeat(0x10000)}\r\n`;
      expect(parseRaw(await sendRaw(port, head, chunk.repeat(5), '0\r\n\r\n')).status).toBe(413);
    });
  });

  it('of another type, charset or encoding get 415', async () => {
    for (const type of ['text/plain', 'application/jsonp', 'application/json; charset=latin1']) {
      expect((await post('{}', type).expect(415)).body).toMatchObject({ success: false, statusCode: 415 });
    }
    for (const type of ['Application/JSON;charset="UTF-8"', 'application/json;x=y']) {
      await post('{}', type).expect(200);
    }
    await post('{}').set('content-encoding', 'gzip').expect(415);
    await withServer(gateway, async ({ port }) => {
      const head = `POST /v1/things/search HTTP/1.1\r\nHost: a\r\nConnection: close\r\nx-api-key: ${key}\r\n`;
      expect(parseRaw(await sendRaw(port, `${head}Content-Length: 2\r\n\r\n{}`)).status).toBe(415);
    });
  });
});

/** An attacker wants the gateway to take this text for a separate request, although the proxy before it did not. */
const smuggled = 'GET /livez HTTP/1.1\r\nHost: smuggled\r\n\r\n';
const chunks = `2\r\n{}\r\n0\r\n\r\n${smuggled}`;

const rawPost = (headers: string, body: string): string =>
  `POST /v1/things/search HTTP/1.1\r\nHost: a\r\nContent-Type: application/json\r\n${headers}\r\n${body}`;
const getLive = (headers: string): string => `GET /livez HTTP/1.1\r\n${headers}\r\n${smuggled}`;

/** Requests that Node's parser or the gateway refuses, most of them because servers in a row might read them differently. */
const refused: readonly (readonly [string, string, number, string?])[] = [
  ['broken HTTP', 'NONSENSE\r\n\r\n', 400],
  ['a bad header', getLive('Host: a\r\nbad header: 1\r\n'), 400],
  ['a length and chunks', rawPost('Content-Length: 6\r\nTransfer-Encoding: chunked\r\n', chunks), 400],
  ['chunks twice', rawPost('Transfer-Encoding: chunked\r\nTransfer-Encoding: chunked\r\n', chunks), 400],
  ['gzip, then chunks', rawPost('Transfer-Encoding: gzip, chunked\r\n', '2\r\n{}\r\n0\r\n\r\n'), 400],
  ['two hosts and chunks', rawPost('Host: b\r\nTransfer-Encoding: chunked\r\n', '2\r\n{}\r\n0\r\n\r\n'), 400],
  ['identity, then chunks', rawPost('Transfer-Encoding: identity, chunked\r\n', chunks), 400],
  ['a folded header', rawPost('Transfer-Encoding:\r\n chunked\r\n', chunks), 400],
  ['one length twice', rawPost('Content-Length: 2\r\nContent-Length: 2\r\n', `{}${smuggled}`), 400],
  ['a length with a sign', rawPost('Content-Length: +2\r\n', `{}${smuggled}`), 400],
  ['lines without a return', rawPost('', smuggled).replaceAll('\r\n', '\n'), 400],
  ['a chunk beyond any number', rawPost('Transfer-Encoding: chunked\r\n', `FFFFFFFFFFFFFFFFF\r\n${smuggled}`), 400],
  ['an extension of 20 KB', rawPost('Transfer-Encoding: chunked\r\n', `2;${'a'.repeat(20_000)}\r\n{}\r\n`), 413],
  ['no host', getLive(''), 400, 'validation_failed'],
  ['two hosts', getLive('Host: a\r\nhost: b\r\n'), 400, 'validation_failed'],
  ['headers of 20 KB', getLive(`Host: a\r\nx: ${'x'.repeat(20_000)}\r\n`), 431, 'headers_too_large'],
  ['101 headers', getLive(`Host: a\r\n${'x:\r\n'.repeat(100)}`), 431, 'headers_too_large'],
  ['more headers than Node keeps', getLive(`Host: a\r\n${'x:\r\n'.repeat(3_000)}`), 431, 'headers_too_large'],
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
        expect(/^allow: GET, /im.test(head)).toBe(statusCode === 405);
        expect(head).toMatch(/x-request-id: [0-9a-f-]{36}/i);
        const always = [
          'cache-control: no-store',
          'content-type: application/json; charset=utf-8',
          'connection: close',
        ];
        const lines = head.toLowerCase().split('\r\n');
        expect([name, ...lines]).toEqual(expect.arrayContaining(always));
      }
    });
  });

  it('is the last one of its connection: a request after it does not run', async () => {
    const gateway = createTestGateway();
    let runs = 0;
    gateway.behaviour.run = () => void (runs += 1);
    const closing = head('POST /v1/things/search', gateway, 'request-1', 'Connection: close\r\n');
    const body = 'Content-Type: application/json\r\nContent-Length: 2\r\n\r\n{}';
    await withServer(gateway, async ({ port }) => {
      for (const [name, text] of refused) {
        const answer = await sendRaw(port, text + search(gateway, 'request-2'));
        expect([name, answer.match(/HTTP\/1\.1 /g)?.length, runs]).toEqual([name, 1, 0]);
      }
      expect(answersIn(await sendRaw(port, `${closing}${body}${search(gateway, 'request-2')}`))).toEqual([
        [200, 'request-1'],
      ]);
      expect(runs).toBe(1);
    });
  });

  it('gets only one response if it was answered before its body', async () => {
    const limits = { requestTimeoutMs: 300, headersTimeoutMs: 200 };
    await withServer(
      createTestGateway(),
      async ({ port }) => {
        // Without a key the response does not wait for the body. The last of these bodies never ends.
        for (const body of [`2\r\n{}XX0\r\n\r\n${smuggled}`, '2\r\n{}\r\n']) {
          const answer = await sendRaw(port, rawPost('Transfer-Encoding: chunked\r\n', body));
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
