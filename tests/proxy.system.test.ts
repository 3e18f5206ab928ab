/** @needs nginx */
import { openAdministrationDatabase } from '@crm/db';
import { createMigratedDatabase, createTestOrganization } from '@crm/testing/suites';
import { errorCatalogue } from '@crm/domain';
import { type GatewayProcess, startGatewayProcess, until } from '@crm/testing';
import { afterAll, afterEach, beforeAll, describe, expect, test } from '@jest/globals';
import { type NginxProxy, type ProxySettings, startNginxProxy } from './support/nginx-proxy.js';
import { RawConnection, sendRaw } from './support/raw-request.js';

const megabyte = 1024 * 1024;

let readGateway: GatewayProcess;
let inboundGateway: GatewayProcess;
let key: string;
const stops: (() => Promise<unknown>)[] = [];
const proxies: NginxProxy[] = [];

beforeAll(async () => {
  const { url, drop } = await createMigratedDatabase();
  const database = openAdministrationDatabase({ url, applicationName: 'test', maxConnections: 2 });
  ({ key } = await createTestOrganization(database));
  const environment = {
    DATABASE_URL: url,
    CURSOR_SECRETS: 'a secret that only the tests know',
    RATE_LIMIT_FAILED_AUTH: '0',
    TRUST_PROXY: '1',
  };
  readGateway = await startGatewayProcess('read-gateway', environment);
  inboundGateway = await startGatewayProcess('inbound-gateway', environment);
  stops.push(readGateway.stop, inboundGateway.stop, () => database.close(), drop);
});
afterEach(async () => {
  for (const proxy of proxies.splice(0)) await proxy.stop();
});
afterAll(async () => {
  for (const stop of stops) await stop();
});

const startProxy = async (settings: Partial<ProxySettings> = {}): Promise<NginxProxy> => {
  const proxy = await startNginxProxy({
    readGatewayUrl: readGateway.url,
    inboundGatewayUrl: inboundGateway.url,
    requestsPerAddress: 1_000,
    ...settings,
  });
  proxies.push(proxy);
  return proxy;
};

const linesOf = (text: string): Record<string, unknown>[] =>
  text
    .trim()
    .split('\n')
    .filter((line) => line.startsWith('{'))
    .map((line) => JSON.parse(line) as Record<string, unknown>);

/** The log line of a request. Lines are written in the background, so a line may appear a moment later. */
const findLogLine = async (
  readLog: () => Promise<string> | string,
  requestId: string,
): Promise<Record<string, unknown>> => {
  let found: Record<string, unknown> = {};
  await until(async () => {
    found = linesOf(await readLog()).find((line) => line['request_id'] === requestId) ?? {};
    return 'request_id' in found;
  }, 20);
  return found;
};

const head = (line: string, headers = ''): string => `${line} HTTP/1.1\r\nHost: a\r\n${headers}\r\n`;
const long = 'a'.repeat(20_000);
const text = (code: keyof typeof errorCatalogue): string => errorCatalogue[code].message;

const refusals: readonly (readonly [string, string, number, string, (keyof typeof errorCatalogue)?])[] = [
  ['TRACE', head('TRACE /v1/pipelines'), 405, text('method_not_allowed'), 'method_not_allowed'],
  ['no HTTP', 'hello\r\n\r\n', 400, 'The request is not valid HTTP'],
  ['no Host', 'GET / HTTP/1.1\r\n\r\n', 400, 'The request is not valid HTTP'],
  ['a path outside of the root', head('GET /..'), 400, 'The request is not valid HTTP'],
  ['HTTP/3.0', 'GET / HTTP/3.0\r\nHost: a\r\n\r\n', 505, 'This version of HTTP is not supported'],
  ['an unknown coding', head('POST /', 'Transfer-Encoding: gzip\r\n'), 501, 'This Transfer-Encoding is not supported'],
  ['a large header', head('GET /', `X-Large: ${long}\r\n`), 431, text('headers_too_large'), 'headers_too_large'],
  [
    'many headers',
    head('GET /', `X-Large: ${'a'.repeat(9_000)}\r\n`.repeat(8)),
    431,
    text('headers_too_large'),
    'headers_too_large',
  ],
  ['a long URL', head(`GET /${long}`), 414, 'The request URL is too long'],
  [
    'a large body',
    head('POST /v1/inbound/notes', 'Content-Length: 9000000\r\n'),
    413,
    text('payload_too_large'),
    'payload_too_large',
  ],
];

describe('a response of the proxy itself', () => {
  test.each(refusals)(
    'is in the envelope and in the log: %s',
    async (_name, request, status, message, code = 'bad_request') => {
      const proxy = await startProxy();
      const answer = await sendRaw(proxy.port, request);
      expect({ status: answer.status, body: JSON.parse(answer.text) as unknown }).toEqual({
        status,
        body: { success: false, message, statusCode: status, code },
      });
      expect(Object.fromEntries(answer.headers)).toMatchObject({
        'content-type': 'application/json; charset=utf-8',
        'x-content-type-options': 'nosniff',
        'cache-control': 'no-store',
        'x-request-id': expect.stringMatching(/^[0-9a-f]{32}$/) as unknown,
      });
      expect(answer.headers.get('allow')).toBe(status === 405 ? 'GET, HEAD, POST, PATCH, DELETE' : null);
      const requestId = answer.headers.get('x-request-id') ?? '';
      expect(await findLogLine(proxy.log, requestId)).toEqual({
        level: 30,
        time: expect.any(Number) as unknown,
        name: 'proxy',
        status,
        request_id: requestId,
        msg: 'request',
      });
    },
  );

  test('is a retryable 503 while a gateway is unreachable, and the other gateway still answers', async () => {
    const proxy = await startProxy({ readGatewayUrl: 'http://127.0.0.1:9' });
    const away = await fetch(`${proxy.url}/v1/pipelines`, { headers: { 'x-request-id': 'my-own-request' } });
    expect(Object.fromEntries(away.headers)).toMatchObject({ 'x-request-id': 'my-own-request', 'retry-after': '1' });
    expect({ status: away.status, body: await away.json() }).toEqual({
      status: 503,
      body: { success: false, message: text('unavailable'), statusCode: 503, code: 'unavailable' },
    });
    expect((await fetch(`${proxy.url}/inbound/readyz`)).status).toBe(200);
  });

  test('never replaces the response of a gateway, under any path', async () => {
    const proxy = await startProxy();
    for (const path of ['/refused', '/refused/400', '/v1/unknown']) {
      const direct = await fetch(`${readGateway.url}${path}`);
      const proxied = await fetch(`${proxy.url}${path}`);
      expect({ path, status: proxied.status, body: await proxied.text() }).toEqual({
        path,
        status: direct.status,
        body: await direct.text(),
      });
    }
  });

  test('is a 429 to an address with too many requests at once', async () => {
    const proxy = await startProxy({ requestsPerAddress: 2 });
    // Each request waits for a body, so the proxy refuses exactly one of the three: the last that it reads.
    const connections = Array.from({ length: 3 }, () => new RawConnection(proxy.port));
    const headers = `x-api-key: ${key}\r\nContent-Type: application/json\r\nContent-Length: 100\r\n`;
    for (const { socket } of connections) socket.write(head('POST /v1/inbound/notes', headers));
    await Promise.race(connections.map(({ ended }) => ended));
    const answers = connections.flatMap(({ answer }) => (answer === null ? [] : [answer]));
    expect(answers.map(({ status, text: body }) => ({ status, body: JSON.parse(body) as unknown }))).toEqual([
      {
        status: 429,
        body: {
          success: false,
          message: 'Too many requests at once from this address',
          statusCode: 429,
          code: 'rate_limited',
        },
      },
    ]);
    expect(answers[0]?.headers.get('retry-after')).toBe('1');
    for (const { socket } of connections) socket.destroy();
    await until(async () => (await fetch(`${proxy.url}/livez`)).status !== 429, 20);
  });
});

describe('the id of a request', () => {
  test.each([
    ['none', undefined, /^[0-9a-f]{32}$/],
    ['a malformed one', 'two words', /^[0-9a-f]{32}$/],
    ['a well-formed one', 'order-4711-retry-2', /^order-4711-retry-2$/],
    ['one of HAProxy', '7F000001:C3A8_0A000001:01BB_6926E0A1_0003:0B2C', /^7F000001:C3A8_.*:0B2C$/],
    ['one of Kong', '6c4b1a52-94f4-4d4b-8d51-3bd2f0a7f3a1#17', /^6c4b1a52-.*#17$/],
    ['one of AWS', 'Root=1-67891233-abcdef', /^Root=1-67891233-abcdef$/],
  ])(
    'is the same in the response and in the log of the gateway, for a client that sends %s',
    async (_name, sent, id) => {
      const proxy = await startProxy();
      for (const [path, gateway] of [
        ['/v1/pipelines', readGateway],
        ['/v1/inbound/notes', inboundGateway],
      ] as const) {
        const answer = await fetch(`${proxy.url}${path}`, {
          headers: sent === undefined ? {} : { 'x-request-id': sent },
        });
        const requestId = answer.headers.get('x-request-id') ?? '';
        expect(requestId).toMatch(id);
        expect(await findLogLine(gateway.output, requestId)).toMatchObject({ status: 401 });
      }
    },
  );
});

describe('slow clients', () => {
  const count = 100;
  /** Keeps sending until the server closes the connection. */
  const sendSlowly = async (connection: RawConnection, part: string): Promise<void> => {
    await until(() => {
      if (!connection.isEnded) connection.socket.write(part);
      return connection.isEnded;
    }, 250);
    connection.socket.destroy();
  };

  test('without a key use little memory, and the proxy closes their connections', async () => {
    const proxy = await startProxy();
    const idle = await proxy.memoryBytes();
    let most = 0;
    const headers = `Content-Type: application/json\r\nContent-Length: ${4 * megabyte}\r\n`;
    const bodies = Array.from({ length: count }, () => new RawConnection(proxy.port));
    const heads = Array.from({ length: count }, () => new RawConnection(proxy.port));
    const all = [...bodies, ...heads];
    const watching = (async () => {
      await until(async () => {
        most = Math.max(most, (await proxy.memoryBytes()) - idle);
        return all.every(({ isEnded }) => isEnded);
      }, 50);
    })();
    await Promise.all([
      ...bodies.map((connection) => {
        connection.socket.write(head('POST /v1/inbound/contacts/bulk', headers));
        connection.socket.write(Buffer.alloc(4 * megabyte - 10_000, ' '));
        return sendSlowly(connection, ' ');
      }),
      ...heads.map((connection) => {
        connection.socket.write(`GET / HTTP/1.1\r\nX-Large: ${'a'.repeat(15_000)}`);
        return sendSlowly(connection, 'a');
      }),
    ]);
    await watching;
    console.log(`${all.length} slow connections held ${(most / megabyte).toFixed(1)} MB`);
    expect(bodies.map(({ answer }) => answer?.status)).toEqual(bodies.map(() => 401));
    expect(heads.map(({ received }) => received)).toEqual(heads.map(() => ''));
    expect(most).toBeLessThan(20 * megabyte);
  });

  test('with a key get the 408 of the gateway', async () => {
    const proxy = await startProxy();
    const connection = new RawConnection(proxy.port);
    const headers = `x-api-key: ${key}\r\nContent-Type: application/json\r\nContent-Length: 1000\r\n`;
    connection.socket.write(head('POST /v1/inbound/notes', headers));
    await sendSlowly(connection, ' ');
    expect(connection.answer).toMatchObject({ status: 408 });
    expect(JSON.parse(connection.answer?.text ?? '')).toEqual({
      success: false,
      message: text('request_timeout'),
      statusCode: 408,
      code: 'request_timeout',
    });
  });
});
