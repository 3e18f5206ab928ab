// Clients that common generators create from our documents compile under strict, and page through a running gateway.
import { mkdir, mkdtemp, rm, symlink, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { readTestStack } from '@crm/testing';
import { afterAll, beforeAll, describe, expect, test } from '@jest/globals';
import { startTestCrm, type TestCrm } from './support/crm.js';
import { installTools, runProgram } from './support/tools.js';

const typescript = fileURLToPath(new URL('../../../node_modules/typescript-7/bin/tsc', import.meta.url));
const tools = installTools('generators');
const testWithTools = tools === null ? test.skip : test;
const modules = join(tools ?? '', 'node_modules');

let crm: TestCrm;
let folder: string;

beforeAll(async () => {
  crm = await startTestCrm(readTestStack());
  folder = await mkdtemp(join(tmpdir(), 'crm-generated-clients-'));
  await crm.client.accounts.bulkCreate([1, 2, 3, 4, 5].map((n) => ({ domain: `gen${n}.example` })));
});
afterAll(async () => {
  await crm.stop();
  await rm(folder, { recursive: true, force: true });
});

interface Generator {
  /** The generator's file in the tools' folder, and its arguments; `read.json` is in the working folder. */
  readonly command: readonly string[];
  readonly files?: Readonly<Record<string, string>>;
  /** The program: it pages through the accounts two at a time and prints their domains. Lines that must not compile are marked. */
  readonly program: string;
}

const settings = `const settings = JSON.parse('SETTINGS') as { readUrl: string; apiKey: string };`;

const generators: Readonly<Record<string, Generator>> = {
  'openapi-typescript and openapi-fetch': {
    command: ['openapi-typescript/bin/cli.js', 'read.json', '-o', 'schema.ts'],
    program: `
import createClient from 'openapi-fetch';
import type { paths, components } from './schema.js';
${settings}
const api = createClient<paths>({ baseUrl: settings.readUrl, headers: { 'x-api-key': settings.apiKey } });
const domains: string[] = [];
let cursor: string | undefined;
do {
  const query = cursor === undefined ? { limit: 2 } : { limit: 2, cursor };
  const { data, error } = await api.GET('/v1/accounts', { params: { query } });
  if (error !== undefined) throw new Error(error.code);
  for (const account of data.data.accounts) domains.push(account.domain);
  cursor = data.data.next_cursor ?? undefined;
} while (cursor !== undefined);
// What has a default need not be sent.
const body: components['schemas']['SearchBody'] = { sort: { field: 'name' } };
// @ts-expect-error -- a typo
const typo: components['schemas']['SearchBody'] = { sorted: 'name' };
console.log(JSON.stringify(domains.sort()), typeof body, typeof typo);
`,
  },
  '@hey-api/openapi-ts': {
    command: ['@hey-api/openapi-ts/bin/run.js', '-i', 'read.json', '-o', 'generated', '-c', '@hey-api/client-fetch'],
    program: `
import { client } from './generated/client.gen';
import { listAccounts } from './generated/sdk.gen';
import type { SearchBody } from './generated/types.gen';
${settings}
client.setConfig({ baseUrl: settings.readUrl, headers: { 'x-api-key': settings.apiKey } });
const domains: string[] = [];
let cursor: string | undefined;
do {
  const { data, error } = await listAccounts({ query: { limit: 2, cursor } });
  if (data === undefined) throw new Error(error.code);
  for (const account of data.data.accounts) domains.push(account.domain);
  cursor = data.data.next_cursor ?? undefined;
} while (cursor !== undefined);
const body: SearchBody = { sort: { field: 'name' } };
// @ts-expect-error -- a typo
const typo: SearchBody = { sorted: 'name' };
console.log(JSON.stringify(domains.sort()), typeof body, typeof typo);
`,
  },
  orval: {
    command: ['orval/dist/bin/orval.mjs', '--config', 'orval.config.mjs'],
    files: {
      'orval.config.mjs': `export default { crm: { input: './read.json', output: { target: './generated.ts', client: 'fetch' } } };`,
    },
    program: `
import { listAccounts, type FilterCondition, type SearchBody } from './generated';
${settings}
const send = globalThis.fetch;
globalThis.fetch = (path, init) => send(settings.readUrl + String(path), { ...init, headers: { ...init?.headers, 'x-api-key': settings.apiKey } });
const domains: string[] = [];
let cursor: string | undefined;
do {
  const answer = await listAccounts(cursor === undefined ? { limit: 2 } : { limit: 2, cursor });
  if (answer.status !== 200) throw new Error(answer.data.code);
  for (const account of answer.data.data.accounts) domains.push(account.domain);
  cursor = answer.data.data.next_cursor ?? undefined;
} while (cursor !== undefined);
const condition: FilterCondition = { field: 'name', operator: 'eq', value: 'A' };
const body: SearchBody = { filters: [condition] };
// @ts-expect-error -- a typo
const typo: SearchBody = { sorted: 'name' };
console.log(JSON.stringify(domains.sort()), typeof body, typeof typo);
`,
  },
  'swagger-typescript-api': {
    command: ['swagger-typescript-api/dist/cli.mjs', 'generate', '-p', 'read.json', '-o', '.', '-n', 'generated.ts'],
    program: `
import { Api, type SearchBody } from './generated';
${settings}
const api = new Api({ baseUrl: settings.readUrl, baseApiParams: { headers: { 'x-api-key': settings.apiKey } } });
const domains: string[] = [];
let cursor: string | undefined;
do {
  const { data } = await api.v1.listAccounts(cursor === undefined ? { limit: 2 } : { limit: 2, cursor });
  for (const account of data.data.accounts) domains.push(account.domain);
  cursor = data.data.next_cursor ?? undefined;
} while (cursor !== undefined);
const body: SearchBody = { sort: { field: 'name' } };
// @ts-expect-error -- a typo
const typo: SearchBody = { sorted: 'name' };
console.log(JSON.stringify(domains.sort()), typeof body, typeof typo);
`,
  },
};

const compilerOptions = {
  strict: true,
  target: 'es2022',
  lib: ['es2022', 'dom', 'dom.iterable'],
  module: 'preserve',
  moduleResolution: 'bundler',
  skipLibCheck: true,
  noEmit: true,
  types: [],
};

/** Generates the client in a separate folder. @throws Error with the generator's output if it fails */
const generate = async (name: string, { command, files = {}, program }: Generator): Promise<string> => {
  const own = join(folder, name.replace(/\W+/g, '-'));
  await mkdir(own, { recursive: true });
  await symlink(modules, join(own, 'node_modules'));
  const document = await (await fetch(`${crm.addresses.readUrl}/openapi.json`)).text();
  const known = JSON.stringify({ ...crm.addresses, apiKey: crm.organization.key });
  const all = {
    ...files,
    'read.json': document,
    'package.json': '{ "type": "module" }',
    'tsconfig.json': JSON.stringify({ compilerOptions, files: ['main.ts'] }),
    'main.ts': program.replace('SETTINGS', known),
  };
  for (const [file, text] of Object.entries(all)) await writeFile(join(own, file), text);
  const [tool = '', ...rest] = command;
  const made = await runProgram(process.execPath, [join(modules, tool), ...rest], { cwd: own, env: { CI: 'true' } });
  if (made.code !== 0) throw new Error(`${name}: ${made.stdout}\n${made.stderr}`);
  return own;
};

describe('the client of a generator', () => {
  testWithTools.each(Object.entries(generators))(
    'compiles under strict and walks pages: %s',
    async (name, generator) => {
      const own = await generate(name, generator);
      const compiled = await runProgram(process.execPath, [typescript, '-p', own]);
      expect(compiled).toMatchObject({ code: 0, stdout: '' });
      const bundled = join(own, 'bundled.mjs');
      const esbuild = join(modules, 'esbuild/bin/esbuild');
      const flags = ['--bundle', '--format=esm', '--platform=node', `--outfile=${bundled}`, '--log-level=error'];
      expect(await runProgram(esbuild, [join(own, 'main.ts'), ...flags])).toMatchObject({ code: 0 });
      const ran = await runProgram(process.execPath, [bundled]);
      const domains = [1, 2, 3, 4, 5].map((n) => `gen${n}.example`);
      expect(ran).toMatchObject({ stdout: `${JSON.stringify(domains)} object object\n`, stderr: '' });
    },
  );
});
