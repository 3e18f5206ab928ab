import { brotliDecompressSync, gunzipSync } from 'node:zlib';
import { once } from 'node:events';
import { get, type IncomingMessage } from 'node:http';
import { describe, expect, it } from '@jest/globals';
import { defineOperation, JsonParts, JsonText } from '../src/index.js';
import { type Behaviour, createTestGateway, listThings, withServer } from './support.js';

const names = JSON.stringify(['Zürich', 'Київ', '更新契約', '😀']);
const long = `[${Array.from({ length: 600 }, () => names).join(',')}]`;
const envelope = (data: string): string => `{"success":true,"message":"Größe","data":${data}}`;

interface Answer {
  readonly headers: IncomingMessage['headers'];
  readonly bytes: Buffer;
}

/** Sends one request for each `Accept-Encoding`, without the automatic decoding of other clients. */
const askAll = async (data: JsonText | JsonParts, accepted: readonly (string | undefined)[]): Promise<Answer[]> => {
  const operation = defineOperation<Behaviour, typeof listThings>(listThings, async () => ({ message: 'Größe', data }));
  const gateway = createTestGateway({ operations: [operation] });
  const answers: Answer[] = [];
  await withServer(gateway, async ({ port }) => {
    for (const encoding of accepted) {
      const headers = { 'x-api-key': gateway.key, ...(encoding === undefined ? {} : { 'accept-encoding': encoding }) };
      const [message] = (await once(get({ port, path: '/v1/things', headers }), 'response')) as [IncomingMessage];
      const bytes = Buffer.concat((await message.toArray()) as Buffer[]);
      expect(message.headers['content-length']).toBe(String(bytes.length));
      answers.push({ headers: message.headers, bytes });
    }
  });
  return answers;
};

describe.each<[string, (json: string) => JsonText | JsonParts]>([
  ['text', (json) => new JsonText(json)],
  ['parts', (json) => new JsonParts([json.slice(0, 4), Buffer.from(json.slice(4, -1)), json.slice(-1)])],
])('a response made of %s', (_, make) => {
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
