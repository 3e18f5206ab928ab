import { once } from 'node:events';
import { get, type IncomingMessage } from 'node:http';
import { brotliDecompressSync, gunzipSync } from 'node:zlib';
import { describe, expect, it } from '@jest/globals';
import { defineOperation, JsonParts, JsonText } from '../src/index.js';
import { type Behaviour, createTestGateway, listThings } from './support.js';
import { withServer } from './with-server.js';

const names = JSON.stringify(['Zürich', 'Київ', '更新契約', '😀']);
const long = `[${Array.from({ length: 1_000 }, () => names).join(',')}]`;
const envelope = (data: string): string => `{"success":true,"message":"Größe","data":${data}}`;

const gatewayThatAnswers = (data: JsonText | JsonParts) => {
  const operation = defineOperation<Behaviour, typeof listThings>(listThings, async () => ({ message: 'Größe', data }));
  return createTestGateway({ operations: [operation] });
};

interface Answer {
  readonly headers: IncomingMessage['headers'];
  readonly bytes: Buffer;
}

/** Sends a request without the automatic decoding of other clients. */
const ask = async (data: JsonText | JsonParts, acceptEncoding?: string): Promise<Answer> => {
  const gateway = gatewayThatAnswers(data);
  const answers: Answer[] = [];
  await withServer(gateway, async ({ port }) => {
    const headers = {
      'x-api-key': gateway.key,
      ...(acceptEncoding === undefined ? {} : { 'accept-encoding': acceptEncoding }),
    };
    const [message] = (await once(get({ port, path: '/v1/things', headers }), 'response')) as [IncomingMessage];
    const chunks = (await message.toArray()) as Buffer[];
    answers.push({ headers: message.headers, bytes: Buffer.concat(chunks) });
  });
  const [answer] = answers;
  if (answer === undefined) throw new Error('There was no answer');
  expect(answer.headers['content-length']).toBe(String(answer.bytes.length));
  return answer;
};

const makers: readonly (readonly [string, (json: string) => JsonText | JsonParts])[] = [
  ['text', (json) => new JsonText(json)],
  ['parts', (json) => new JsonParts([json.slice(0, 4), Buffer.from(json.slice(4, -1)), json.slice(-1)])],
];

describe.each(makers)('a long response made of %s', (_, make) => {
  const data = make(long);

  it.each([undefined, 'identity', 'deflate', 'br;q=0', ''])('is not compressed for %j', async (acceptEncoding) => {
    const { headers, bytes } = await ask(data, acceptEncoding);
    expect(headers['content-encoding']).toBeUndefined();
    expect(headers.vary).toBe('Accept-Encoding');
    expect(bytes.toString()).toBe(envelope(long));
  });

  it.each(['br', 'gzip, deflate, br', '*', 'gzip;q=0.5, br'])(
    'is compressed with brotli for %j',
    async (acceptEncoding) => {
      const { headers, bytes } = await ask(data, acceptEncoding);
      expect(headers['content-encoding']).toBe('br');
      expect(headers.vary).toBe('Accept-Encoding');
      expect(brotliDecompressSync(bytes).toString()).toBe(envelope(long));
      expect(bytes.length).toBeLessThan(long.length / 4);
    },
  );

  it.each(['gzip', 'gzip, br;q=0'])('is compressed with gzip for %j', async (acceptEncoding) => {
    const { headers, bytes } = await ask(data, acceptEncoding);
    expect(headers['content-encoding']).toBe('gzip');
    expect(gunzipSync(bytes).toString()).toBe(envelope(long));
  });

  it('is not compressed if it is short', async () => {
    const { headers, bytes } = await ask(make(names), 'br, gzip');
    expect(headers['content-encoding']).toBeUndefined();
    expect(headers.vary).toBeUndefined();
    expect(bytes.toString()).toBe(envelope(names));
  });
});
