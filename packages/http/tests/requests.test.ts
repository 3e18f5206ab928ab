import { once } from 'node:events';
import { get as httpGet, type IncomingMessage } from 'node:http';
import { brotliDecompressSync, gunzipSync } from 'node:zlib';
import { describe, expect, it } from '@jest/globals';
import { ApiError } from '@crm/domain';
import request from 'supertest';
import { defineOperation, JsonParts } from '../src/index.js';
import {
  type Behaviour,
  bodyOf,
  createTestGateway,
  listThings,
  operations,
  parseRaw,
  sendRaw,
  withServer,
} from './support.js';

const openApiDocument = {
  openapi: '3.1.0',
  info: { title: 'Test', version: '1.0.0', description: 'A gateway.' },
  paths: {},
};
const { app, key, behaviour } = createTestGateway({ openApiDocument });
const post = () => request(app).post('/v1/things/search').set('x-api-key', key);
const get = (path: string) => request(app).get(path).set('x-api-key', key);

describe('200', () => {
  it('inserts finished JSON into the envelope and sends its length', async () => {
    const response = await get('/v1/things?q=a&fields=x,y').expect(200);
    expect(response.text).toBe(
      '{"success":true,"message":"OK","data":{"query":{"q":"a","fields":["x","y"]},"caller":{"organizationId":"org-1","apiKeyId":"key-1","allowedOperations":["list","search"]}}}',
    );
    expect(response.headers['content-length']).toBe(String(response.text.length));
    expect(response.headers['content-type']).toBe('application/json; charset=utf-8');
    expect(response.headers['cache-control']).toBe('no-store');
    for (const name of ['etag', 'x-powered-by', 'access-control-allow-origin']) {
      expect(response.headers[name]).toBeUndefined();
    }
  });

  it('sends the headers and extra properties of a reply', async () => {
    const thing = await get('/v1/things/a%20%C3%A9').expect(200);
    expect(thing.headers['etag']).toMatch(/^"7\.[0-9a-f]{20}"$/);
    expect(bodyOf(thing).data).toEqual({ params: { id: 'a é' } });
    const search = await post().send({ name: 'Ann' }).expect(200);
    expect(search.body).toEqual({
      success: true,
      message: 'OK',
      data: { body: { name: 'Ann' } },
      warnings: [],
      statusCode: 200,
    });
  });

  it('serves the document without a key', async () => {
    expect((await request(app).get('/openapi.json').expect(200)).body).toEqual(openApiDocument);
  });
});

describe('400', () => {
  it('names every invalid field of path, query and body at once', async () => {
    const response = await get('/v1/things/123456789?zzz=1').expect(400);
    expect(response.body).toMatchObject({ success: false, message: 'Validation failed', statusCode: 400 });
    expect(Object.keys(bodyOf(response).errors ?? {}).sort()).toEqual(['id', 'zzz']);
    expect(bodyOf(await get('/v1/things/%ff').expect(400)).errors).toEqual({ id: 'must be percent-encoded UTF-8' });
    const body = await post().send({ name: 'too long', other: 1 }).expect(400);
    expect(Object.keys(bodyOf(body).errors ?? {}).sort()).toEqual(['name', 'other']);
  });

  it('refuses a header given twice when an operation reads it', async () => {
    const gateway = createTestGateway();
    gateway.behaviour.run = (header) => void header('idempotency-key');
    await withServer(gateway, async ({ port }) => {
      const head = `GET /v1/things HTTP/1.1\r\nHost: a\r\nConnection: close\r\nx-api-key: ${gateway.key}\r\n`;
      expect(parseRaw(await sendRaw(port, `${head}Idempotency-Key: a\r\n\r\n`)).status).toBe(200);
      const twice = parseRaw(await sendRaw(port, `${head}Idempotency-Key: a\r\nidempotency-key: b\r\n\r\n`));
      expect(twice.body).toMatchObject({
        statusCode: 400,
        errors: { 'idempotency-key': 'is sent twice as a header: send it once' },
      });
    });
  });
});

describe('400 and 415', () => {
  it('says how to send an address, a charset and a key that it refuses', async () => {
    const gateway = createTestGateway();
    await withServer(gateway, async ({ port }) => {
      const head = `Host: a\r\nConnection: close\r\nx-api-key: ${gateway.key}\r\n`;
      const ask = async (text: string) => parseRaw(Buffer.from(await sendRaw(port, text), 'latin1').toString());
      const text =
        'The address has a character that must be percent-encoded as UTF-8: send é as %C3%A9 and a space as %20';
      for (const target of ['/v1/things/é', '/v1/things?q=ü'])
        expect((await ask(`GET ${target} HTTP/1.1\r\n${head}\r\n`)).body).toMatchObject({
          statusCode: 400,
          code: 'bad_request',
          message: text,
        });
      const twice = await ask(`GET /v1/things HTTP/1.1\r\n${head}X-API-Key: ${gateway.key}\r\n\r\n`);
      expect(twice.body).toMatchObject({
        statusCode: 400,
        errors: { 'x-api-key': 'is sent twice as a header: send it once' },
      });
    });
    const latin = await post().set('content-type', 'application/json; charset=iso-8859-1').send('{"name":"a"}');
    expect([latin.status, (latin.body as { message: string }).message]).toEqual([
      415,
      'The charset iso-8859-1 is not supported: send the body in UTF-8, as application/json',
    ]);
  });
});

describe('odd but legal requests', () => {
  it('may begin the body with a byte order mark, escape letters of the path, and leave optional parts blank', async () => {
    const marked = await post().set('content-type', 'application/json').send('\ufeff{"name":"a"}').expect(200);
    expect(bodyOf(marked).data).toEqual({ body: { name: 'a' } });
    await post().set('content-type', 'application/json').send('\ufeff').expect(400);
    expect((await post().send({ name: ' ', a: '' }).expect(200)).body).toMatchObject({ data: { body: {} } });
    const listed = await get('/v1/%74h%69ngs?limit=&q=%20&fields[0]=x').expect(200);
    expect(bodyOf(listed).data).toMatchObject({ query: { fields: ['x'] } });
    expect(bodyOf(await get('/v1/things/%61%2F%2561').expect(200)).data).toEqual({ params: { id: 'a/%61' } });
    await get('/v1/things%2Fa').expect(404);
  });

  it('get a 304 for the tag of a record, of the document or of a page, but not for that of other responses', async () => {
    for (const path of ['/v1/things/a', '/openapi.json', '/docs']) {
      const tag = (await get(path)).headers['etag'] ?? '';
      for (const known of [tag, `W/${tag}`, `"x", ${tag}`, '*', tag.replace(/"$/, '-gzip"')]) {
        const unchanged = await get(path).set('if-none-match', known);
        expect([path, known, unchanged.status, unchanged.text]).toEqual([path, known, 304, '']);
        expect(unchanged.headers['etag']).toBe(tag);
        for (const name of ['content-length', 'content-type', 'content-encoding'])
          expect(unchanged.headers[name]).toBeUndefined();
      }
      expect((await request(app).head(path).set({ 'x-api-key': key, 'if-none-match': tag })).status).toBe(304);
      for (const other of ['', '"x"', '"7"', '"7.0"', 'x', tag.replaceAll('"', '')])
        expect((await get(path).set('if-none-match', other)).status).toBe(200);
    }
    expect(
      (await get('/v1/things/b').set('if-none-match', (await get('/v1/things/a')).headers['etag'] ?? '')).status,
    ).toBe(200);
    expect((await get('/v1/things').set('if-none-match', '*')).status).toBe(200);
  });
});

describe('HEAD', () => {
  it('answers like GET wherever GET is allowed, without a body', async () => {
    for (const path of ['/v1/things/a', '/v1/nothing', '/readyz', '/openapi.json', '/docs']) {
      const expected = await get(path).set('accept-encoding', 'gzip');
      const head = await request(app).head(path).set({ 'x-api-key': key, 'accept-encoding': 'gzip' });
      expect([path, head.status]).toEqual([path, expected.status]);
      for (const name of ['content-length', 'content-type', 'etag', 'cache-control']) {
        expect([path, name, head.headers[name]]).toEqual([path, name, expected.headers[name]]);
      }
      expect(head.text).toBeFalsy();
    }
  });

  it('sends no byte of a body, so that the next response on the connection is parsed correctly', async () => {
    await withServer(createTestGateway(), async ({ port }) => {
      const head = `HTTP/1.1\r\nHost: a\r\nx-api-key: ${key}\r\n`;
      const answers = await sendRaw(port, `HEAD /livez ${head}\r\n`, `HEAD /livez ${head}Connection: close\r\n\r\n`);
      expect(answers.match(/HTTP\/1\.1 200 OK/g)).toHaveLength(2);
      expect(answers).not.toContain('{');
    });
  });
});

describe('404 and 405', () => {
  it.each([
    ['get', '/v1/nothing', 404, undefined],
    ['get', '/v1/things/', 404, undefined],
    ['get', '/V1/things', 404, undefined],
    ['get', '/', 404, undefined],
    ['delete', '/v1/things', 405, 'GET, HEAD'],
    ['options', '/v1/things', 405, 'GET, HEAD'],
    ['post', '/livez', 405, 'GET, HEAD'],
    ['post', '/docs', 405, 'GET, HEAD'],
  ] as const)('%s %s gets %d in the envelope', async (method, path, statusCode, allow) => {
    const response = await request(app)[method](path).set('x-api-key', key);
    expect([response.status, response.headers['allow']]).toEqual([statusCode, allow]);
    const [message, code] =
      statusCode === 404 ? ['Not found', 'not_found'] : ['Method not allowed', 'method_not_allowed'];
    expect(response.body).toEqual({ success: false, message, statusCode, code });
  });

  it.each([
    ['read', '/v1/inbound/things', 'Not found: the inbound gateway serves paths below /v1/inbound/'],
    ['inbound', '/v1/things', 'Not found: the read gateway serves paths that are not below /v1/inbound/'],
    ['inbound', '/v1/inbound/things', 'Not found'],
    ['inbound', '/things', 'Not found'],
  ] as const)(
    'a 404 of the %s gateway for %s names the other gateway if it may serve the path',
    async (gateway, path, message) => {
      const other = createTestGateway({ gateway, operations: [] });
      const response = await request(other.app).get(path).set('x-api-key', other.key);
      expect(response.body).toEqual({ success: false, message, statusCode: 404, code: 'not_found' });
      expect((await request(other.app).get(path)).status).toBe(path.startsWith('/v1/') ? 401 : 404);
    },
  );

  it('HEAD gets 405 where only other methods are allowed', async () => {
    const response = await request(app).head('/v1/things/search').set('x-api-key', key).expect(405);
    expect(response.headers['allow']).toBe('POST');
  });
});

describe('errors of operations', () => {
  it('answer with their status, fields, extra properties and headers', async () => {
    behaviour.run = () => {
      throw new ApiError('conflict', {
        extra: { conflict: { field: 'email', existing_id: 'x' } },
        headers: { 'X-A': '1' },
      });
    };
    const response = await get('/v1/things').expect(409);
    expect(response.body).toEqual({
      success: false,
      message: 'Conflict with an existing record',
      statusCode: 409,
      code: 'conflict',
      conflict: { field: 'email', existing_id: 'x' },
    });
    expect(response.headers['x-a']).toBe('1');
    delete behaviour.run;
  });

  it('that are unexpected get 500 without internals', async () => {
    for (const thrown of [new Error('SELECT secret'), null, { status: 200 }]) {
      // eslint-disable-next-line @typescript-eslint/prefer-promise-reject-errors -- third-party code may throw anything
      behaviour.run = () => Promise.reject(thrown);
      const response = await get('/v1/things').expect(500);
      expect(response.text).toBe(
        '{"success":false,"message":"Internal server error","statusCode":500,"code":"internal"}',
      );
    }
    delete behaviour.run;
  });
});

describe('building the app', () => {
  it('fails if two operations share a route or one belongs to the other gateway', () => {
    const [first] = operations;
    if (first === undefined) throw new Error('no operation');
    expect(() => createTestGateway({ operations: [first, first] })).toThrow('Two operations answer GET /v1/things');
    const foreign = { ...first, contract: { ...listThings, gateway: 'inbound' as const } };
    expect(() => createTestGateway({ operations: [foreign] })).toThrow('belongs to the inbound gateway');
  });
});

const names = JSON.stringify(['Zürich', 'Київ', '更新契約', '😀']);
const long = `[${Array.from({ length: 600 }, () => names).join(',')}]`;
const envelope = (data: string): string => `{"success":true,"message":"Größe","data":${data}}`;

interface Answer {
  readonly headers: IncomingMessage['headers'];
  readonly bytes: Buffer;
}

/** Sends one request for each `Accept-Encoding`, without the automatic decoding of other clients. */
const askAll = async (data: JsonParts, accepted: readonly (string | undefined)[]): Promise<Answer[]> => {
  const operation = defineOperation<Behaviour, typeof listThings>(listThings, async () => ({ message: 'Größe', data }));
  const gateway = createTestGateway({ operations: [operation] });
  const answers: Answer[] = [];
  await withServer(gateway, async ({ port }) => {
    for (const encoding of accepted) {
      const headers = { 'x-api-key': gateway.key, ...(encoding === undefined ? {} : { 'accept-encoding': encoding }) };
      const [message] = (await once(httpGet({ port, path: '/v1/things', headers }), 'response')) as [IncomingMessage];
      const bytes = Buffer.concat((await message.toArray()) as Buffer[]);
      expect(message.headers['content-length']).toBe(String(bytes.length));
      answers.push({ headers: message.headers, bytes });
    }
  });
  return answers;
};

describe('a response made of JSON in parts', () => {
  const make = (json: string) => new JsonParts([json.slice(0, 4), Buffer.from(json.slice(4, -1)), json.slice(-1)]);

  it.each([
    [undefined, [undefined, 'identity', 'deflate', 'br;q=0', ''], (bytes: Buffer) => bytes],
    ['br', ['br', 'gzip, deflate, br', '*', 'gzip;q=0.5, br'], brotliDecompressSync],
    ['gzip', ['gzip', 'gzip, br;q=0'], gunzipSync],
  ] as const)('that is long is encoded as %s if the client prefers it', async (encoding, accepted, decode) => {
    for (const { headers, bytes } of await askAll(make(long), accepted)) {
      expect(headers['content-encoding']).toBe(encoding);
      expect(headers.vary).toBe('Accept-Encoding');
      expect(decode(bytes).toString()).toBe(envelope(long));
    }
  });

  it('that is short is not compressed', async () => {
    const [answer] = await askAll(make(names), ['br, gzip']);
    expect(answer?.headers).not.toHaveProperty('content-encoding');
    expect(answer?.headers).not.toHaveProperty('vary');
    expect(answer?.bytes.toString()).toBe(envelope(names));
  });
});
