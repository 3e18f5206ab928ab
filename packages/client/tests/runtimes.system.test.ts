// The same program on every runtime that npm can install: it writes, pages through records, and handles an error.
import { type ChildProcess, spawn } from 'node:child_process';
import { mkdtemp, readdir, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { findFreePort, readTestStack, until } from '@crm/testing';
import { afterAll, beforeAll, describe, expect, test } from '@jest/globals';
import { startTestCrm, type TestCrm } from './support/crm.js';
import { installTools, runProgram } from './support/tools.js';

const dist = fileURLToPath(new URL('../dist/', import.meta.url));
const tools = installTools('runtimes');
const testWithTools = tools === null ? test.skip : test;
const modules = join(tools ?? '', 'node_modules');

const walk = `
export const walk = async ({ createClient, CrmNotFoundError }, { readUrl, inboundUrl, apiKey, name }) => {
  const attempts = [];
  const onResponse = ({ status }) => void attempts.push(status);
  const crm = createClient({ readUrl, inboundUrl, apiKey, onResponse });
  const items = [1, 2, 3, 4, 5].map((n) => ({ domain: name + n + '.example', name: name + ' ' + n }));
  await crm.accounts.bulkCreate(items);
  const names = [];
  for await (const account of crm.accounts.search({ query: name, sort: 'name', limit: 2 })) names.push(account.name);
  const missing = await crm.accounts.get('00000000-0000-4000-8000-000000000000').catch((error) => error);
  return { names, attempts, isNotFound: missing instanceof CrmNotFoundError && missing.code === 'not_found' };
};
`;
const main = `
import * as client from './client/index.js';
import { walk } from './walk.mjs';
console.log(JSON.stringify(await walk(client, JSON.parse('SETTINGS'))));
`;
const worker = `
import * as client from './client/index.js';
import { walk } from './walk.mjs';
export default { fetch: async () => Response.json(await walk(client, JSON.parse('SETTINGS'))) };
`;

let crm: TestCrm;
let folder: string;

beforeAll(async () => {
  crm = await startTestCrm(readTestStack());
  folder = await mkdtemp(join(tmpdir(), 'crm-client-runtimes-'));
});
afterAll(async () => {
  await crm.stop();
  await rm(folder, { recursive: true, force: true });
});

const expected = (name: string): object => ({
  names: [1, 2, 3, 4, 5].map((n) => `${name} ${n}`),
  attempts: [200, 200, 200, 200, 404],
  isNotFound: true,
});

/** The program in a separate folder, next to the built client. */
const prepare = async (name: string, text: string): Promise<string> => {
  const own = join(folder, name);
  await runProgram('mkdir', ['-p', own]);
  await runProgram('cp', ['-r', dist, join(own, 'client')]);
  await writeFile(join(own, 'package.json'), '{ "type": "module" }');
  await writeFile(join(own, 'walk.mjs'), walk);
  const settings = JSON.stringify({ ...crm.addresses, apiKey: crm.organization.key, name });
  await writeFile(join(own, 'main.mjs'), text.replace('SETTINGS', settings));
  return own;
};

const isIn = (child: ChildProcess): boolean => child.exitCode === null && child.signalCode === null;

const workerdConfig = (files: readonly string[], port: number): string => `
using Workerd = import "/workerd/workerd.capnp";
const config :Workerd.Config = (
  services = [
    (name = "main", worker = (
      modules = [${files.map((file) => `(name = "${file}", esModule = embed "${file}")`).join(', ')}],
      compatibilityDate = "2026-01-01",
    )),
    (name = "internet", network = (allow = ["private", "public"])),
  ],
  sockets = [(name = "http", address = "127.0.0.1:${port}", http = (), service = "main")],
);
`;

/** Sends requests to a starting server until it answers. */
const askUntilItAnswers = async (url: string, server: ChildProcess): Promise<unknown> => {
  let answer: Response | null = null;
  await until(async () => {
    if (!isIn(server)) throw new Error(`workerd ended with ${server.exitCode}`);
    answer = await fetch(url).catch(() => null);
    return answer !== null;
  }, 50);
  return (answer as Response | null)?.json();
};

describe('the client', () => {
  test('runs on Node', async () => {
    const own = await prepare('node', main);
    const { stdout, stderr } = await runProgram(process.execPath, [join(own, 'main.mjs')]);
    expect([stderr, JSON.parse(stdout)]).toEqual(['', expected('node')]);
  });

  testWithTools('runs on Bun', async () => {
    const own = await prepare('bun', main);
    const bun = join(modules, '@oven/bun-linux-x64/bin/bun');
    const { stdout, stderr } = await runProgram(bun, [join(own, 'main.mjs')]);
    expect([stderr, JSON.parse(stdout)]).toEqual(['', expected('bun')]);
  });

  testWithTools('runs on Deno, with no right but to the network', async () => {
    const own = await prepare('deno', main);
    const deno = join(modules, '@deno/linux-x64-glibc/deno');
    const { stdout, stderr } = await runProgram(deno, [
      'run',
      '--quiet',
      '--no-remote',
      '--allow-net',
      join(own, 'main.mjs'),
    ]);
    expect([stderr, JSON.parse(stdout)]).toEqual(['', expected('deno')]);
  });

  testWithTools('runs on workerd', async () => {
    const own = await prepare('workerd', worker);
    const files = (await readdir(join(own, 'client'), { recursive: true }))
      .filter((file) => file.endsWith('.js') && !file.startsWith('commonjs/'))
      .map((file) => `client/${file}`);
    const port = await findFreePort();
    await writeFile(join(own, 'config.capnp'), workerdConfig(['main.mjs', 'walk.mjs', ...files], port));
    const workerd = join(modules, '@cloudflare/workerd-linux-64/bin/workerd');
    const server = spawn(workerd, ['serve', join(own, 'config.capnp')], { stdio: ['ignore', 'ignore', 'inherit'] });
    try {
      expect(await askUntilItAnswers(`http://127.0.0.1:${port}`, server)).toEqual(expected('workerd'));
    } finally {
      server.kill('SIGKILL');
    }
  });
});
