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
  /** Imports the client and its types, and sets its address and key. */
  readonly setup: string;
  /** Reads the page of `query` into `page`. */
  readonly read: string;
  /** The type of the body of a search, if that is not `SearchBody`. */
  readonly searchBody?: string;
}

const generators: Readonly<Record<string, Generator>> = {
  'openapi-typescript and openapi-fetch': {
    command: ['openapi-typescript/bin/cli.js', 'read.json', '-o', 'schema.ts'],
    setup: `import createClient from 'openapi-fetch';
import type { paths, components } from './schema.js';
const api = createClient<paths>({ baseUrl: settings.readUrl, headers: { 'x-api-key': settings.apiKey } });`,
    read: `const { data, error } = await api.GET('/v1/accounts', { params: { query } });
  if (error !== undefined) throw new Error(error.code);
  const page = data.data;`,
    searchBody: `components['schemas']['SearchBody']`,
  },
  '@hey-api/openapi-ts': {
    command: ['@hey-api/openapi-ts/bin/run.js', '-i', 'read.json', '-o', 'generated', '-c', '@hey-api/client-fetch'],
    setup: `import { client } from './generated/client.gen';
import { listAccounts } from './generated/sdk.gen';
import type { SearchBody } from './generated/types.gen';
client.setConfig({ baseUrl: settings.readUrl, headers: { 'x-api-key': settings.apiKey } });`,
    read: `const { data, error } = await listAccounts({ query });
  if (data === undefined) throw new Error(error.code);
  const page = data.data;`,
  },
  orval: {
    command: ['orval/dist/bin/orval.mjs', '--config', 'orval.config.mjs'],
    files: {
      'orval.config.mjs': `export default { crm: { input: './read.json', output: { target: './generated.ts', client: 'fetch' } } };`,
    },
    setup: `import { listAccounts, type FilterCondition, type SearchBody } from './generated';
const send = globalThis.fetch;
globalThis.fetch = (path, init) => send(settings.readUrl + String(path), { ...init, headers: { ...init?.headers, 'x-api-key': settings.apiKey } });
const condition: FilterCondition = { field: 'name', operator: 'eq', value: 'A' };
const filtered: SearchBody = { filters: condition };
if (filtered.filters === undefined) throw new Error('no filters');`,
    read: `const answer = await listAccounts(query);
  if (answer.status !== 200) throw new Error(answer.data.code);
  const page = answer.data.data;`,
  },
  'swagger-typescript-api': {
    command: ['swagger-typescript-api/dist/cli.mjs', 'generate', '-p', 'read.json', '-o', '.', '-n', 'generated.ts'],
    setup: `import { Api, type SearchBody } from './generated';
const api = new Api({ baseUrl: settings.readUrl, baseApiParams: { headers: { 'x-api-key': settings.apiKey } } });`,
    read: `const page = (await api.v1.listAccounts(query)).data.data;`,
  },
};

/** Pages through the accounts two at a time and prints their domains. Lines that must not compile are marked. */
const programOf = ({ setup, read, searchBody = 'SearchBody' }: Generator, settings: object): string => `
const settings = JSON.parse('${JSON.stringify(settings)}') as { readUrl: string; apiKey: string };
${setup}
const domains: string[] = [];
let cursor: string | undefined;
do {
  const query = cursor === undefined ? { limit: 2 } : { limit: 2, cursor };
  ${read}
  for (const account of page.accounts) domains.push(account.domain);
  cursor = page.next_cursor ?? undefined;
} while (cursor !== undefined);
// What has a default need not be sent.
const body: ${searchBody} = { sort: [{ field: 'name' }] };
// @ts-expect-error -- a typo
const typo: ${searchBody} = { sorted: 'name' };
console.log(JSON.stringify(domains.sort()), typeof body, typeof typo);
`;

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
const generate = async (name: string, generator: Generator): Promise<string> => {
  const { command, files = {} } = generator;
  const own = join(folder, name.replace(/\W+/g, '-'));
  await mkdir(own, { recursive: true });
  await symlink(modules, join(own, 'node_modules'));
  const document = await (await fetch(`${crm.addresses.readUrl}/openapi.json`)).text();
  const all = {
    ...files,
    'read.json': document,
    'package.json': '{ "type": "module" }',
    'tsconfig.json': JSON.stringify({ compilerOptions, files: ['main.ts'] }),
    'main.ts': programOf(generator, { ...crm.addresses, apiKey: crm.organization.key }),
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
