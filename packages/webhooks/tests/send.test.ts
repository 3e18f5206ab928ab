import { createServer, type Server } from 'node:http';
import type { AddressInfo } from 'node:net';
import { afterAll, beforeAll, expect, test } from '@jest/globals';
import { endpointUrlProblem, newSecret, Sender } from '../src/index.js';

let server: Server;
let connections = 0;
let port = 0;
const message = { id: 'msg', body: Buffer.from('{}') };

beforeAll(async () => {
  server = createServer((_request, response) => response.end('ok')).on('connection', () => (connections += 1));
  // All addresses, IPv6 too.
  await new Promise<void>((resolve) => server.listen(0, '::', resolve));
  ({ port } = server.address() as AddressInfo);
});
afterAll(() => new Promise((resolve) => server.close(resolve)));

/** Addresses of this machine and of private networks in every notation. */
const privateHosts = [
  '127.0.0.1',
  '127.1',
  '2130706433',
  '0x7f000001',
  '0177.0.0.1',
  '0.0.0.0',
  '10.0.0.1',
  '172.16.0.1',
  '192.168.1.1',
  '169.254.169.254',
  '100.64.0.1',
  '[::1]',
  '[::]',
  '[::ffff:127.0.0.1]',
  '[::ffff:7f00:1]',
  '[64:ff9b::7f00:1]',
  '[2002:7f00:1::]',
  '[fc00::1]',
  '[fe80::1]',
  '[::127.0.0.1]',
  '[64:ff9b:1::7f00:1]',
  '[fec0::1]',
  '168.63.129.16',
  '１２７.0.0.1',
  '127。0。0。1',
];

test.each(privateHosts)('R26: refuses the private address %s, and connects to none', async (host) => {
  const sender = new Sender([], 1_000);
  expect(endpointUrlProblem(`https://${host}/hook`, [])).toContain('must be a public address');
  const attempts = [`https://${host}:8443/`, `https://${host}:${port}/`, `http://${host}:${port}/`];
  for (const url of attempts) {
    const { isDelivered, error } = await sender.send(url, [newSecret()], message);
    expect([isDelivered, error]).toEqual([false, expect.stringContaining('the address is not allowed')]);
  }
  sender.close();
  expect(connections).toBe(0);
});

test('R26: checks the address that a host name has, not the name', async () => {
  const sender = new Sender([], 1_000);
  for (const url of [`https://localhost:${port}/`, `http://localhost:${port}/`, `https://127.0.0.1@localhost:${port}/`])
    expect((await sender.send(url, [newSecret()], message)).error).toContain('the address is not allowed');
  expect(connections).toBe(0);
  sender.close();
});

test('calls an allowed network, and no other private one', async () => {
  const sender = new Sender(['127.0.0.0/8'], 1_000);
  expect(await sender.send(`http://127.0.0.1:${port}/`, [newSecret()], message)).toMatchObject({
    isDelivered: true,
    status: 200,
    response: 'ok',
  });
  expect((await sender.send(`http://[::1]:${port}/`, [newSecret()], message)).error).toContain('not allowed');
  sender.close();
});

test('compares an address only with networks of its family, which prints no warning', async () => {
  const warnings: unknown[] = [];
  const warned = (warning: unknown): unknown => warnings.push(warning);
  const { warn } = console;
  console.warn = warned;
  const sender = new Sender(['127.0.0.0/8', '::1/128'], 1_000);
  for (const host of ['127.0.0.1', '[::1]', 'localhost'])
    expect(await sender.send(`http://${host}:${port}/`, [newSecret()], message)).toMatchObject({ status: 200 });
  console.warn = warn;
  sender.close();
  expect(warnings).toEqual([]);
});

test.each([
  ['https://example.com/hook', [], null],
  ['https://example.com:8443/hook', [], null],
  ['https://93.184.215.14/hook', [], null],
  ['http://erp.example:3000/hook', ['10.0.0.0/8'], null],
  ['http://10.1.2.3:3000/hook', ['10.0.0.0/8'], null],
  ['https://10.1.2.3/hook', ['192.168.0.0/16'], 'must be a public address'],
  ['http://example.com/hook', [], 'must start with https://'],
  ['https://example.com:22/hook', [], 'must use port 443 or 8443'],
  ['https://user:password@example.com/', [], 'must not contain a user name'],
  ['https://localhost/hook', [], 'must be a public address'],
  ['https://crm.internal/hook', [], 'must be a public address'],
  ['ftp://example.com/', [], 'must be a URL that starts with https://'],
  ['example.com', [], 'must be a URL that starts with https://'],
  [`https://example.com/${'x'.repeat(2_000)}`, [], 'must have at most 2000 characters'],
])('judges the URL %s with the networks %j', (url, networks, problem) => {
  const found = endpointUrlProblem(url, networks);
  expect(found).toEqual(problem === null ? null : expect.stringContaining(problem));
});
