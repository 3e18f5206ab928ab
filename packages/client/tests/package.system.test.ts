// The package as users install it: the output of npm pack, installed into several kinds of projects.
import { cp, mkdir, mkdtemp, readFile, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { afterAll, beforeAll, describe, expect, test } from '@jest/globals';
import { installTools, runProgram } from './support/tools.js';

const packageFolder = fileURLToPath(new URL('../', import.meta.url));
const compiler = (name: string): string =>
  fileURLToPath(new URL(`../../../node_modules/${name}/bin/tsc`, import.meta.url));
const tools = installTools('packaging');
const testWithTools = tools === null ? test.skip : test;

interface Packed {
  readonly filename: string;
  readonly files: readonly { readonly path: string }[];
}

let folder: string;
let packed: Packed;

beforeAll(async () => {
  folder = await mkdtemp(join(tmpdir(), 'crm-client-package-'));
  // The build is up to date. Another one would take the files away from tests that run beside this one.
  const options = ['--json', '--ignore-scripts', '--pack-destination', folder];
  const { stdout, stderr } = await runProgram('npm', ['pack', ...options], { cwd: packageFolder });
  const found: unknown = JSON.parse(stdout || 'null');
  const [first] = Object.values(found ?? {}) as Packed[];
  if (first === undefined) throw new Error(`npm pack: ${stderr}`);
  packed = first;
  await runProgram('tar', ['-xzf', join(folder, packed.filename), '-C', folder]);
});
afterAll(() => rm(folder, { recursive: true, force: true }));

const program = `
const crm = createClient({ readUrl: 'https://crm.example.com', apiKey: 'k' });
const read = async (pipeline_id: string): Promise<number> => {
  let sum = 0;
  for await (const deal of crm.opportunities.list({ pipeline_id, fields: ['amount'] })) sum += deal.amount ?? 0;
  return sum;
};
console.log(typeof read, new CrmConnectionError('x') instanceof CrmError);
`;

/** A project with the package installed and one file. */
const createProject = async (manifest: object, compilerOptions: object, head: string): Promise<string> => {
  const project = await mkdtemp(join(folder, 'project-'));
  await mkdir(join(project, 'node_modules/@crm'), { recursive: true });
  await cp(join(folder, 'package'), join(project, 'node_modules/@crm/client'), { recursive: true });
  const options = { strict: true, target: 'es2022', lib: ['es2022', 'dom'], types: [], outDir: 'out', rootDir: '.' };
  const settings = { compilerOptions: { ...options, ...compilerOptions }, files: ['main.ts'] };
  await writeFile(join(project, 'package.json'), JSON.stringify(manifest));
  await writeFile(join(project, 'tsconfig.json'), JSON.stringify(settings));
  await writeFile(join(project, 'main.ts'), `${head}\n${program}`);
  return project;
};

const esm = `import { createClient, CrmConnectionError, CrmError } from '@crm/client';`;
const requires = `import client = require('@crm/client');\nconst { createClient, CrmConnectionError, CrmError } = client;`;

describe('the packed package', () => {
  test('contains only the code, its types, the licence and the README', () => {
    const paths = packed.files.map(({ path }) => path);
    const others = paths.filter((path) => !/^dist\/(commonjs\/)?[a-z/-]+\.(js|d\.ts)$/.test(path));
    expect(others.sort()).toEqual(['LICENSE', 'README.md', 'dist/commonjs/package.json', 'package.json']);
    expect(paths).toEqual(expect.arrayContaining(['dist/index.js', 'dist/index.d.ts', 'dist/commonjs/index.d.ts']));
  });

  test('has the metadata that registries and users look for', async () => {
    const manifest = JSON.parse(await readFile(join(folder, 'package/package.json'), 'utf8')) as object;
    expect(manifest).not.toHaveProperty('private');
    expect(manifest).toMatchObject({ sideEffects: false });
    expect(await readFile(join(folder, 'package/LICENSE'), 'utf8')).toBe(
      await readFile(join(packageFolder, '../../LICENSE'), 'utf8'),
    );
  });

  test.each([
    ['ES modules', { type: 'module' }, { module: 'nodenext' }, esm],
    ['CommonJS by import', {}, { module: 'nodenext' }, esm],
    ['CommonJS by require', {}, { module: 'nodenext' }, requires],
    ['CommonJS on Node 16 rules', { type: 'commonjs' }, { module: 'node16' }, esm],
    [
      'CommonJS by main and types',
      {},
      { module: 'commonjs', moduleResolution: 'node10', ignoreDeprecations: '6.0' },
      esm,
    ],
    ['a bundler', { type: 'module' }, { module: 'preserve', moduleResolution: 'bundler' }, esm],
  ])('compiles under strict and runs: %s', async (_name, manifest, options, head) => {
    const project = await createProject(manifest, options, head);
    // TypeScript 7 no longer has the oldest rules.
    const typescript = compiler('ignoreDeprecations' in options ? 'typescript' : 'typescript-7');
    const compiled = await runProgram(process.execPath, [typescript, '-p', project]);
    expect(compiled).toMatchObject({ code: 0, stdout: '' });
    const ran = await runProgram(process.execPath, [join(project, 'out/main.js')]);
    expect(ran).toMatchObject({ code: 0, stdout: 'function true\n' });
  });

  testWithTools('has no finding of publint', async () => {
    const publint = join(tools ?? '', 'node_modules/publint/src/cli.js');
    const { code, stdout } = await runProgram(process.execPath, [publint, join(folder, 'package'), '--strict']);
    expect({ code, stdout }).toEqual({ code: 0, stdout: expect.stringContaining('All good') as unknown });
  });

  testWithTools('has no finding of @arethetypeswrong/cli', async () => {
    const attw = join(tools ?? '', 'node_modules/@arethetypeswrong/cli/dist/index.js');
    const { code, stdout } = await runProgram(process.execPath, [attw, join(folder, packed.filename), '--no-color']);
    expect({ code, stdout }).toEqual({ code: 0, stdout: expect.stringContaining('No problems found') as unknown });
  });
});
