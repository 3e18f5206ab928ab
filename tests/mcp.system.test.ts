import { execFile, spawn } from 'node:child_process';
import { createServer, request, type Server } from 'node:http';
import type { AddressInfo } from 'node:net';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { promisify } from 'node:util';
import { afterAll, beforeAll, describe, expect, test } from '@jest/globals';
import { readTestStack } from '@crm/testing';
import { text } from 'node:stream/consumers';
import { launcher } from './support/running-stack.js';
import { type McpServerProcess, startMcpServer } from './support/mcp-server.js';

// These packages need Node 22 or are large, so they are not among the packages of this repository.
const conformance = '@modelcontextprotocol/conformance@0.2.0-alpha.12';
const olderClient = '@modelcontextprotocol/sdk@1.32.2';

const run = promisify(execFile);
/** Installing the packages takes most of it. */
const timeoutMs = 600_000;
const expectedFailures = fileURLToPath(new URL('../packages/mcp/tests/conformance/', import.meta.url));

let own: McpServerProcess;
let key: string;
let directory: string;
let env: Readonly<Record<string, string>>;
let mcpUrl: string;
beforeAll(async () => {
  own = await startMcpServer(readTestStack());
  ({ key, directory, env, url: mcpUrl } = own);
});
afterAll(() => own.stop());

/** Runs a program of an npm package on Node 22. */
const onNode22 = (packageName: string, command: readonly string[]) =>
  run('npx', ['--yes', '--ignore-scripts=false', '-p', 'node@22', '-p', packageName, ...['--', ...command]], {
    cwd: directory,
    maxBuffer: 50_000_000,
  });

/** A proxy that adds the key: the conformance suite cannot send headers of its own. */
const startKeyProxy = async (): Promise<{ readonly url: string; readonly proxy: Server }> => {
  const proxy = createServer({ keepAliveTimeout: 65_000 }, (incoming, outgoing) => {
    const { method, headers, url: path } = incoming;
    const own = { ...headers, 'x-api-key': key };
    const sent = request({ port: new URL(mcpUrl).port, path, method, headers: own }, (answer) => {
      outgoing.writeHead(answer.statusCode ?? 502, answer.headers);
      answer.pipe(outgoing);
    });
    sent.on('error', () => outgoing.destroy());
    outgoing.on('close', () => sent.destroy());
    incoming.pipe(sent);
  });
  await new Promise((resolve) => proxy.listen(0, '127.0.0.1', () => resolve(undefined)));
  return { url: `http://127.0.0.1:${(proxy.address() as AddressInfo).port}/mcp`, proxy };
};

describe('the conformance suite of the protocol', () => {
  test.each(['2026-07-28', '2025-11-25'])(
    'passes for %s, except for what the file lists',
    async (revision) => {
      const { url, proxy } = await startKeyProxy();
      const file = join(expectedFailures, `${revision}.yaml`);
      const options = ['--url', url, '--requirements', revision, '--expected-failures', file, '-o', 'results'];
      const { stdout } = await onNode22(conformance, ['conformance', 'server', ...options]).catch((error: unknown) => ({
        stdout: `FAILED\n${(error as { stdout: string }).stdout}`,
      }));
      proxy.closeAllConnections();
      proxy.close();
      expect(stdout.startsWith('FAILED') ? stdout.slice(-4000) : '').toBe('');
      for (const scenario of ['tools-list', 'dns-rebinding-protection']) expect(stdout).toContain(`✓ ${scenario}`);
    },
    timeoutMs,
  );
});

describe('over stdio', () => {
  const serve = async (...requests: readonly object[]) => {
    const child = spawn(process.execPath, [launcher, 'mcp'], { env: { PATH: process.env['PATH'], ...env } });
    const ended = new Promise((resolve) => child.once('close', resolve));
    child.stdin.end(requests.map((request) => `${JSON.stringify({ jsonrpc: '2.0', ...request })}\n`).join(''));
    const [stdout, stderr] = await Promise.all([text(child.stdout), text(child.stderr)]);
    const answers = stdout
      .trim()
      .split('\n')
      .map((line) => JSON.parse(line) as { id: number; result: { isError?: boolean } });
    return { exitCode: await ended, answers: new Map(answers.map((answer) => [answer.id, answer])), stderr };
  };
  const opening = { protocolVersion: '2025-06-18', capabilities: {}, clientInfo: { name: 'x', version: '1' } };
  const call = (name: string, args: object | null) => ({ method: 'tools/call', params: { name, arguments: args } });

  test('answers what it has read when its input ends, also a create in flight and arguments that are null', async () => {
    const { exitCode, answers } = await serve(
      { id: 1, method: 'initialize', params: opening },
      { method: 'notifications/initialized' },
      { id: 2, ...call('create_account', { domain: 'in-flight.example' }) },
      { id: 3, ...call('describe_crm', null) },
      { id: 4, ...call('search_deals', { limit: 1 }) },
    );
    expect([exitCode, [...answers.keys()].sort()]).toEqual([0, [1, 2, 3, 4]]);
    for (const id of [2, 3, 4]) expect(answers.get(id)?.result).not.toHaveProperty('isError');
  });

  test('ends on SIGTERM while its input is open', async () => {
    const child = spawn(process.execPath, [launcher, 'mcp'], { env: { PATH: process.env['PATH'], ...env } });
    const ended = new Promise((resolve) => child.once('close', (...exit) => resolve(exit)));
    child.stdin.write(`${JSON.stringify({ jsonrpc: '2.0', id: 1, method: 'initialize', params: opening })}\n`);
    await new Promise((resolve) => child.stdout.once('data', resolve));
    child.kill('SIGTERM');
    expect(await ended).toEqual([0, null]);
  });

  test('escapes control characters in its log', async () => {
    const meta = {
      'io.modelcontextprotocol/protocolVersion': '1\u001b[2J\nforged',
      'io.modelcontextprotocol/clientInfo': opening.clientInfo,
      'io.modelcontextprotocol/clientCapabilities': {},
    };
    const { stderr } = await serve({ id: 1, method: 'tools/list', params: { _meta: meta } });
    expect(stderr).toContain(String.raw`1\u001b[2J\nforged`);
    expect(stderr).not.toMatch(/\u001b|^forged/m);
  });
});

/** The same task, with either client: finds a deal, moves it to Won and says why. */
const task = `
  const call = async (name, args) => {
    const result = await client.callTool({ name, arguments: args });
    if (result.isError) throw new Error(result.content[0].text);
    return result.structuredContent;
  };
  const made = await call('create_deal', { name: process.argv[1], pipeline_name: 'Sales', account_domain: 'acme.com' });
  const { id, version } = made.record;
  const won = await call('update_deal', { id, version, stage_name: 'Won' });
  await call('add_note', { request_key: id, content: 'They signed.', deal_ids: [id] });
  const { notes } = await call('list_notes', { object: 'deal', key: id });
  console.log(JSON.stringify({ tools: (await client.listTools()).tools.length, stage: won.record.stage_name, notes: notes.length }));
  await client.close();`;

const transportsOf = (http: string, stdio: string): Readonly<Record<string, string>> => ({
  HTTP: `const { StreamableHTTPClientTransport } = await import('${http}');
    const transport = new StreamableHTTPClientTransport(new URL('URL'), { requestInit: { headers: { 'x-api-key': 'KEY' } } });`,
  stdio: `const { StdioClientTransport } = await import('${stdio}');
    const transport = new StdioClientTransport({ command: process.execPath, args: ['LAUNCHER', 'mcp'], env: { ...process.env } });`,
});

const newer = '@modelcontextprotocol/client';
const older = '@modelcontextprotocol/sdk/client';
const clients = [
  [
    'the client of revision 2026-07-28',
    newer,
    transportsOf(newer, `${newer}/stdio`),
    "{ versionNegotiation: { mode: 'auto' } }",
  ],
  [
    'the client of older revisions',
    `${older}/index.js`,
    transportsOf(`${older}/streamableHttp.js`, `${older}/stdio.js`),
    '{}',
  ],
] as const;

describe.each(clients)('%s, on this version of Node', (name, entry, transports, options) => {
  beforeAll(async () => {
    if (entry === newer) return;
    await run('npm', ['install', '--prefix', directory, '--ignore-scripts', '--no-audit', '--no-fund', olderClient]);
  }, timeoutMs);

  test.each(Object.keys(transports))('does the same task over %s', async (kind) => {
    const values: Readonly<Record<string, string>> = {
      URL: mcpUrl,
      KEY: key,
      LAUNCHER: launcher,
    };
    const transport = transports[kind]?.replaceAll(
      /\b(URL|KEY|LAUNCHER)'/g,
      (_all, value: string) => `${values[value]}'`,
    );
    const program = `import { Client } from '${entry}';
      ${transport}
      const client = new Client({ name: 'test', version: '1' }, ${options});
      await client.connect(transport);
      ${task}`;
    const cwd = entry === newer ? fileURLToPath(new URL('../packages/mcp', import.meta.url)) : directory;
    const args = ['--input-type=module', '-e', program, `${name} over ${kind}`];
    const { stdout } = await run(process.execPath, args, { cwd, env: { ...process.env, ...env } });
    expect(JSON.parse(stdout)).toEqual({ tools: 15, stage: 'Won', notes: 1 });
  });
});
