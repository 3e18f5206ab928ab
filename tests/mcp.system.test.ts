import { execFile, spawn, type ChildProcess } from 'node:child_process';
import { mkdtemp, rm, writeFile } from 'node:fs/promises';
import { createServer, request, type Server } from 'node:http';
import type { AddressInfo } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { promisify } from 'node:util';
import { afterAll, beforeAll, describe, expect, test } from '@jest/globals';
import { readTestStack } from '@crm/testing';
import { launcher } from './support/running-stack.js';
import { setUpOrganization } from './support/two-organizations.js';

// These packages need Node 22 or are large, so they are not among the packages of this repository.
const conformance = '@modelcontextprotocol/conformance@0.2.0-alpha.12';
const olderClient = '@modelcontextprotocol/sdk@1.32.2';

const run = promisify(execFile);
/** Installing the packages takes most of it. */
const timeoutMs = 600_000;
const expectedFailures = fileURLToPath(new URL('../packages/mcp/tests/conformance/', import.meta.url));

let key: string;
let directory: string;
/** The variables with which `crm mcp` finds the gateways as in the folder of a local stack. */
let env: Readonly<Record<string, string>>;
let server: ChildProcess;
let mcpUrl: string;
beforeAll(async () => {
  const stack = readTestStack();
  const { organization } = await setUpOrganization(stack, async (own) => {
    ({ key } = await own.createKey({ allow: ['list', 'search', 'inbound', 'bulk', 'webhooks'] }));
  });
  const demo = {
    ...{ read_url: stack.readUrl, inbound_url: stack.inboundUrl, database_url: stack.databaseUrl, api_key: key },
    ...{ organization_id: organization.id, pipeline_id: organization.pipeline.id },
  };
  directory = await mkdtemp(join(tmpdir(), 'crm-mcp-'));
  await writeFile(join(directory, 'demo.json'), JSON.stringify(demo));
  env = { CRM_DATA_DIR: directory };
  server = spawn(process.execPath, [launcher, 'mcp', '--http', '0'], {
    env: { PATH: process.env['PATH'], ...env },
    stdio: ['ignore', 'ignore', 'pipe'],
  });
  mcpUrl = await new Promise((resolve, reject) => {
    let output = '';
    server.stderr?.on('data', (chunk: Buffer) => {
      output += chunk.toString();
      const [, url] = /at (http:\S+\/mcp)/.exec(output) ?? [];
      if (url !== undefined) resolve(url);
    });
    server.once('exit', () => reject(new Error(output)));
  });
});
afterAll(async () => {
  server.kill('SIGTERM');
  await rm(directory, { recursive: true, force: true });
});

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
