import { describe, expect, it } from '@jest/globals';
import request from 'supertest';
import { defaultRateLimits } from '../src/index.js';
import { bodyOf, createTestGateway, parseRaw, sendRaw, withServer } from './support.js';

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
  it('that are not one JSON object in UTF-8 get 400 with a plain text', async () => {
    expect(await errorsOf('{"a":')).toEqual({ body: 'must be valid JSON' });
    expect(await errorsOf('\ufeff{}')).toEqual({ body: 'must be valid JSON' });
    for (const text of ['[]', 'null']) expect(await errorsOf(text)).toEqual({ body: 'must be a JSON object' });
    expect(await errorsOf(Buffer.from([0x7b, 0x22, 0xff, 0x22, 0x7d]))).toEqual({ body: 'must be valid UTF-8' });
    expect(await errorsOf(Buffer.from('{"a":"\xed\xa0\x80"}', 'latin1'))).toEqual({ body: 'must be valid UTF-8' });
  });

  it('that are missing get 400', async () => {
    const empty = await request(app).post('/v1/things/search').set('x-api-key', key).expect(400);
    expect(bodyOf(empty).errors).toEqual({ body: 'is required' });
  });

  it('with valid JSON that cannot be stored get 400 on the path', async () => {
    expect(await errorsOf('{"a":{"b":["\\u0000"]}}')).toEqual({
      'a.b[0]': 'must not contain U+0000 or a lone surrogate',
    });
    expect(await errorsOf('{"a":"\\udc00"}')).toEqual({ a: 'must not contain U+0000 or a lone surrogate' });
    expect(await errorsOf('{"a":1e400}')).toEqual({ a: 'is too large a number' });
    expect(await errorsOf('{"a":1,"a":2}')).toEqual({ a: 'is given twice' });
    expect(await errorsOf('{"a":{"__proto__":{}}}')).toEqual({ 'a.__proto__': 'is not allowed as a name' });
  });

  it('of forty thousand levels are refused, as objects and as arrays', async () => {
    for (const [open, close] of [
      ['[', ']'],
      ['{"a":', '}'],
    ] as const) {
      const text = `{"a":${open.repeat(40_000)}1${close.repeat(40_000)}}`;
      const startedAt = process.cpuUsage();
      expect(await errorsOf(text)).toEqual({ body: 'must not nest deeper than 32 levels' });
      const { user: usedMicroseconds } = process.cpuUsage(startedAt);
      expect(usedMicroseconds).toBeLessThan(500_000);
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
