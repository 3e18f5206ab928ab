import { request, type Server } from 'node:http';
import type { AddressInfo } from 'node:net';
import { text } from 'node:stream/consumers';
import { Client, StreamableHTTPClientTransport } from '@modelcontextprotocol/client';
import { readTestStack } from '@crm/testing';
import { afterAll, beforeAll, describe, expect, test } from '@jest/globals';
import { serveHttp } from '../src/serve-http.js';
import { startTestCrm, type TestCrm } from './assistant.js';

let own: TestCrm;
let server: Server;
let port: number;
beforeAll(async () => {
  own = await startTestCrm(readTestStack());
  const { gateways } = own;
  const options = { gateways, port: 0, address: '127.0.0.1', allowedHosts: ['crm.example'], version: '1.0.0' };
  server = await serveHttp({ ...options, onError: () => undefined });
  ({ port } = server.address() as AddressInfo);
});
afterAll(async () => {
  server.closeAllConnections();
  server.close();
  await own.stop();
});

/** `fetch` does not send the headers `Host` and `Origin` of a caller. */
const ask = (headers: Record<string, string>, path = '/mcp', body = '{"jsonrpc":"2.0","id":1,"method":"ping"}') =>
  new Promise<{ status: number | undefined; challenge: string | undefined; body: string }>((resolve, reject) => {
    const accepted = { accept: 'application/json, text/event-stream', 'content-type': 'application/json' };
    const sent = request({ port, path, method: 'POST', headers: { ...accepted, ...headers } }, (response) => {
      const { statusCode: status, headers: received } = response;
      const challenge = received['www-authenticate'];
      text(response).then((answer) => resolve({ status, challenge, body: answer }), reject);
    });
    sent.on('error', reject).end(body);
  });

describe('over HTTP', () => {
  test('a caller works with its own key, as x-api-key or as a bearer token', async () => {
    const { key } = await own.organization.createKey({ allow: ['list', 'search'] });
    for (const headers of [{ 'x-api-key': key }, { authorization: `Bearer ${key}` }]) {
      const client = new Client({ name: 'test', version: '1' }, { versionNegotiation: { mode: 'auto' } });
      const url = new URL(`http://127.0.0.1:${port}/mcp`);
      await client.connect(new StreamableHTTPClientTransport(url, { requestInit: { headers } }));
      expect((await client.listTools()).tools).toHaveLength(8);
      const { structuredContent } = await client.callTool({ name: 'describe_crm', arguments: {} });
      expect(structuredContent).toMatchObject({ key_allows: ['list', 'search'] });
      await client.close();
    }
  });

  test.each([
    ['a foreign Host', { host: 'attacker.example', 'x-api-key': 'k' }, 403],
    ['a foreign Origin', { origin: 'https://attacker.example', 'x-api-key': 'k' }, 403],
    ['the Origin null', { origin: 'null', 'x-api-key': 'k' }, 403],
    ['no key', {}, 401],
    ['a key that no header can hold', { authorization: 'Bearer ' }, 401],
    ['an allowed Host and Origin', { host: 'crm.example', origin: 'https://crm.example' }, 200],
  ])('%s', async (_name, headers, status) => {
    const key = status === 200 ? { 'x-api-key': own.organization.key } : {};
    expect((await ask({ ...key, ...headers })).status).toBe(status);
  });

  test('an invalid and a revoked key are 401 for every method, with the challenge that clients look for', async () => {
    const params = { protocolVersion: '2025-06-18', capabilities: {}, clientInfo: { name: 'x', version: '1' } };
    const bodies = ['initialize', 'tools/list', 'ping'].map((method) => ({ jsonrpc: '2.0', id: 1, method, params }));
    for (const body of bodies) {
      const authorization = `Bearer ${own.organization.newUnknownKey()}`;
      const { status, challenge, body: text } = await ask({ authorization }, '/mcp', JSON.stringify(body));
      expect([status, challenge]).toEqual([401, 'Bearer error="invalid_token"']);
      expect(text).toContain('The API key is not valid');
    }
  });

  test('arguments that are null count as none', async () => {
    const call = { method: 'tools/call', params: { name: 'describe_crm', arguments: null } };
    const headers = { 'x-api-key': own.organization.key };
    const { body } = await ask(headers, '/mcp', JSON.stringify({ jsonrpc: '2.0', id: 1, ...call }));
    expect(body).toContain('key_allows');
  });

  test('other paths and large bodies are refused', async () => {
    const headers = { 'x-api-key': own.organization.key };
    expect((await ask(headers, '/')).status).toBe(404);
    expect((await ask(headers, '/mcp', `"${'x'.repeat(1_100_000)}"`)).status).toBe(413);
  });
});
