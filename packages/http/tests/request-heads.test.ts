import { describe, expect, it } from '@jest/globals';
import { createTestGateway, parseRaw, sendRaw } from './support.js';
import { withServer } from './with-server.js';

/** An attacker wants the gateway to take this text for a separate request, although the proxy before it did not. */
const smuggled = 'GET /livez HTTP/1.1\r\nHost: smuggled\r\n\r\n';
const chunks = `2\r\n{}\r\n0\r\n\r\n${smuggled}`;

const post = (headers: string, body: string): string =>
  `POST /v1/things/search HTTP/1.1\r\nHost: a\r\nContent-Type: application/json\r\n${headers}\r\n${body}`;

const inDoubt: readonly (readonly [string, string, number])[] = [
  ['a length and chunks', post('Content-Length: 6\r\nTransfer-Encoding: chunked\r\n', chunks), 400],
  ['chunks and a length', post('Transfer-Encoding: chunked\r\nContent-Length: 2\r\n', chunks), 400],
  ['chunks twice', post('Transfer-Encoding: chunked\r\nTransfer-Encoding: chunked\r\n', chunks), 400],
  ['identity, then chunks', post('Transfer-Encoding: identity, chunked\r\n', chunks), 400],
  ['chunks, then identity', post('Transfer-Encoding: chunked, identity\r\n', chunks), 400],
  ['chunks by another name', post('Transfer-Encoding: xchunked\r\n', chunks), 400],
  ['a space before the colon', post('Transfer-Encoding : chunked\r\n', chunks), 400],
  ['a folded header', post('Transfer-Encoding:\r\n chunked\r\n', chunks), 400],
  ['one length twice', post('Content-Length: 2\r\nContent-Length: 2\r\n', `{}${smuggled}`), 400],
  ['a list of lengths', post('Content-Length: 2, 2\r\n', `{}${smuggled}`), 400],
  ['a length with a sign', post('Content-Length: +2\r\n', `{}${smuggled}`), 400],
  ['a length in hexadecimal', post('Content-Length: 0x2\r\n', `{}${smuggled}`), 400],
  ['a negative length', post('Content-Length: -1\r\n', `{}${smuggled}`), 400],
  ['a length beyond any number', post('Content-Length: 99999999999999999999\r\n', `{}${smuggled}`), 400],
  ['lines without a return', post('', smuggled).replaceAll('\r\n', '\n'), 400],
  ['a return without a line', `GET /livez HTTP/1.1\r\nHost: a\rX: b\r\n\r\n${smuggled}`, 400],
  ['an extension that ends early', post('Transfer-Encoding: chunked\r\n', `2;a=b\n{}\r\n0\r\n\r\n${smuggled}`), 400],
  ['a chunk beyond any number', post('Transfer-Encoding: chunked\r\n', `FFFFFFFFFFFFFFFFF\r\n${smuggled}`), 400],
  ['an extension of 20 KB', post('Transfer-Encoding: chunked\r\n', `2;${'a'.repeat(20_000)}\r\n{}\r\n`), 413],
  ['two hosts', `GET /livez HTTP/1.1\r\nHost: a\r\nhost: b\r\n\r\n${smuggled}`, 400],
  ['NUL in a header', `GET /livez HTTP/1.1\r\nHost: a\r\nX: a\0b\r\n\r\n${smuggled}`, 400],
  ['101 headers', `GET /livez HTTP/1.1\r\nHost: a\r\n${'x:\r\n'.repeat(100)}\r\n${smuggled}`, 431],
  ['more headers than Node keeps', `GET /livez HTTP/1.1\r\nHost: a\r\n${'x:\r\n'.repeat(3_000)}\r\n${smuggled}`, 431],
];

/** The codes of a status. Node's own refusals have another code than the gateway's, which name the header. */
const codeOf: Readonly<Record<number, RegExp>> = {
  400: /^(bad_request|validation_failed)$/,
  413: /^payload_too_large$/,
  431: /^headers_too_large$/,
};

describe('an ambiguous request', () => {
  it.each(inDoubt)('is refused in the envelope and its connection closed: %s', async (_name, text, status) => {
    await withServer(createTestGateway(), async ({ port }) => {
      const answer = await sendRaw(port, text);
      expect(answer.match(/HTTP\/1\.1 /g)).toHaveLength(1);
      expect(parseRaw(answer)).toMatchObject({
        status,
        body: { success: false, statusCode: status, code: expect.stringMatching(codeOf[status] ?? '') as unknown },
      });
      expect(answer).not.toContain('Alive');
    });
  });

  // Without a key the response does not wait for the body.
  it.each([
    ['a chunk longer than it says', `2\r\n{}XX0\r\n\r\n${smuggled}`],
    ['a trailer of 20 KB', `2\r\n{}\r\n0\r\nX: ${'a'.repeat(20_000)}\r\n\r\n${smuggled}`],
    ['a body that never ends', `2\r\n{}\r\n`],
  ])('gets only one response if it was answered before its body: %s', async (_name, body) => {
    await withServer(
      createTestGateway(),
      async ({ port }) => {
        const answer = await sendRaw(port, post('Transfer-Encoding: chunked\r\n', body));
        expect(answer.match(/HTTP\/1\.1 /g)).toHaveLength(1);
        expect(parseRaw(answer).status).toBe(401);
      },
      { requestTimeoutMs: 300, headersTimeoutMs: 200 },
    );
  });

  it('is not one whose body looks like a request: the gateway reads it as a body', async () => {
    await withServer(createTestGateway(), async ({ port }) => {
      const head = `GET /livez HTTP/1.1\r\nHost: a\r\nContent-Length: ${smuggled.length}\r\nConnection: close\r\n\r\n`;
      const answer = await sendRaw(port, head + smuggled);
      expect(answer.match(/HTTP\/1\.1 /g)).toHaveLength(1);
      expect(parseRaw(answer).status).toBe(200);
    });
  });

  it('is not one with a hundred headers', async () => {
    await withServer(createTestGateway(), async ({ port }) => {
      const headers = `Host: a\r\nConnection: close\r\n${'x:\r\n'.repeat(98)}`;
      expect(parseRaw(await sendRaw(port, `GET /livez HTTP/1.1\r\n${headers}\r\n`)).status).toBe(200);
    });
  });
});
