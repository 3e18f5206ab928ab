/** @needs curl python3 */
import { execFile } from 'node:child_process';
import { mkdtemp, readFile, rm, symlink, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { promisify } from 'node:util';

import { type OpenApiDocument, readSamples } from '@crm/reference';
import { afterAll, beforeAll, describe, expect, test } from '@jest/globals';
import ts from 'typescript';

import { freePorts, RunningStack } from './running-stack.js';
import { readShellExamples } from './support/shell-examples.js';

const execute = promisify(execFile);
const root = fileURLToPath(new URL('../../../', import.meta.url));
const guide = await readFile(join(root, 'packages/reference/guides/get-started.md'), 'utf8');
const [addresses, records] = readShellExamples(guide);
const gateways = ['inbound', 'read'] as const;
const samples = (
  await Promise.all(
    gateways.map(async (gateway) => {
      const text = await readFile(join(root, `docs/openapi/${gateway}-gateway.json`), 'utf8');
      return readSamples(JSON.parse(text) as OpenApiDocument, gateway);
    }),
  )
).flat();
const languages = ['curl', 'typescript', 'python'] as const;
const cases = samples.map((each) => [`${each.operation.operationId} (${each.request.gateway})`, each] as const);

const compilerOptions: ts.CompilerOptions = {
  strict: true,
  noEmit: true,
  skipLibCheck: true,
  target: ts.ScriptTarget.ES2023,
  module: ts.ModuleKind.NodeNext,
  moduleResolution: ts.ModuleResolutionKind.NodeNext,
  moduleDetection: ts.ModuleDetectionKind.Force,
  types: ['node'],
  typeRoots: [join(root, 'node_modules/@types')],
};

describe('the samples of the reference', () => {
  let directory: string;
  let stack: RunningStack;

  /** What the commands of the guide exported. */
  let environment: NodeJS.ProcessEnv;

  /** Runs commands as a user of the shell does; each has to succeed. */
  const run = async (commands: string): Promise<string> => {
    const running = execute('bash', ['-eo', 'pipefail', '-c', commands], { cwd: directory, env: environment });
    running.child.stdin?.end();
    return (await running).stdout;
  };

  /** Runs commands of the guide; the samples see what they export. */
  const follow = async (commands: string): Promise<void> => {
    const variables = (await run(`${commands}\nexport -f value\nenv -0`)).split('\0').filter((line) => line !== '');
    environment = Object.fromEntries(variables.map((line) => line.split(/=(.*)/s).slice(0, 2) as [string, string]));
  };

  beforeAll(async () => {
    directory = await mkdtemp(join(tmpdir(), 'crm-samples-'));
    for (const name of ['node_modules', 'packages', 'package.json'])
      await symlink(join(root, name), join(directory, name));
    const [readPort, inboundPort] = await freePorts();
    stack = new RunningStack({
      CRM_DATA_DIR: join(directory, '.crm'),
      CRM_READ_PORT: String(readPort),
      CRM_INBOUND_PORT: String(inboundPort),
    });
    await stack.ready();
    environment = { PATH: process.env['PATH'], HOME: process.env['HOME'], npm_config_offline: 'true' };
    await follow(addresses?.commands ?? 'false');
    await follow(records?.commands ?? 'false');
  });
  afterAll(async () => {
    await stack.end('SIGTERM');
    await rm(directory, { recursive: true, force: true });
  });

  /** The commands that run a sample. */
  const commandOf = async (language: (typeof languages)[number], code: string): Promise<string> => {
    if (language === 'curl') return code;
    if (language === 'python') {
      await writeFile(join(directory, 'sample.py'), code);
      return 'python3 sample.py';
    }
    await writeFile(join(directory, 'sample.mjs'), ts.transpileModule(code, { compilerOptions }).outputText);
    return 'node sample.mjs';
  };

  test('in TypeScript compile', async () => {
    const files = cases.map((_each, index) => join(directory, `sample-${index}.mts`));
    await Promise.all(files.map((file, index) => writeFile(file, samples[index]?.typescript ?? '')));
    const program = ts.createProgram(files, compilerOptions);
    const problems = ts
      .getPreEmitDiagnostics(program)
      .map(({ file, messageText }) => [file?.text, ts.flattenDiagnosticMessageText(messageText, '\n')]);
    expect(problems).toEqual([]);
  });

  describe.each(languages)('in %s', (language) => {
    test.each(cases)('%s succeeds', async (_name, each) => {
      await run(await commandOf(language, each[language]));
      // What the sample deleted is made again, as the page says.
      if (each.request.method === 'DELETE') await follow(records?.commands ?? 'false');
    });
  });
});
