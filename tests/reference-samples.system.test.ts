/** @needs curl python3 */
import { readFileSync } from 'node:fs';
import { execFile } from 'node:child_process';
import { rm, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { promisify } from 'node:util';

import { type OpenApiDocument, readSamples, variablesOf } from '@crm/reference';
import { afterAll, beforeAll, describe, expect, test } from '@jest/globals';
import { transformSync } from '@swc/core';

import { makeRepositoryFolder, startOwnStack } from './support/running-stack.js';
import { readShellExamples, type ShellExample, shownPart } from './support/shell-examples.js';

const execute = promisify(execFile);
const root = fileURLToPath(new URL('../', import.meta.url));
const guide = readFileSync(join(root, 'packages/reference/guides/get-started.md'), 'utf8');
const examples = readShellExamples(guide);
const [firstCall, addresses, ...records] = examples as [ShellExample, ShellExample, ...ShellExample[]];
const gateways = ['inbound', 'read'] as const;
const samples = gateways.flatMap((gateway) => {
  const text = readFileSync(join(root, `docs/openapi/${gateway}-gateway.json`), 'utf8');
  return readSamples(JSON.parse(text) as OpenApiDocument, gateway);
});
const languages = ['curl', 'typescript', 'python'] as const;
const variables = [...variablesOf(samples), 'CRM_READ_URL', 'CRM_INBOUND_URL', 'CRM_API_KEY'];
/** The samples that delete come last, in an order in which nothing uses the deleted record. */
const deletions = ['Note', 'Opportunity', 'Contact', 'Account', 'Member', 'Stage', 'Field', 'Webhook'].map(
  (name) => `delete${name}`,
);
const placeOf = ({ operation, request }: (typeof samples)[number]): number =>
  request.method === 'DELETE' ? deletions.indexOf(operation.operationId) : -1;
const cases = samples
  .toSorted((one, other) => placeOf(one) - placeOf(other))
  .map((each) => [`${each.operation.operationId} (${each.request.gateway})`, each] as const);

const compilerOptions = {
  strict: true,
  noEmit: true,
  skipLibCheck: true,
  target: 'es2023',
  module: 'nodenext',
  moduleDetection: 'force',
  types: ['node'],
  typeRoots: [join(root, 'node_modules/@types')],
};

/** A directory with its own stack, in which commands run as in the guide. */
interface Workplace {
  readonly directory: string;
  /** Runs commands as a user of the shell does. Each must succeed. @returns what they print */
  run(commands: string): Promise<string>;
  /** Creates the records of the samples as in the guide, and passes their ids to the samples. */
  createRecords(): Promise<void>;
  /** A variable that the commands of the guide exported. */
  variable(name: string): string | undefined;
  end(): Promise<unknown>;
}

const openWorkplace = async (): Promise<Workplace> => {
  const { directory, end } = await startOwnStack();
  let environment: NodeJS.ProcessEnv = {
    PATH: process.env['PATH'],
    HOME: process.env['HOME'],
    npm_config_offline: 'true',
  };
  const bash = async (commands: string): Promise<string> => {
    const running = execute('bash', ['-eo', 'pipefail', '-c', commands], { cwd: directory, env: environment });
    running.child.stdin?.end();
    return (await running).stdout;
  };
  const follow = async (examples: readonly ShellExample[]): Promise<void> => {
    const commands = examples.map((example) => example.commands).join('\n');
    const lines = (await bash(`${commands}\nexport -f value\nenv -0`)).split('\0').filter((line) => line !== '');
    environment = Object.fromEntries(lines.map((line) => line.split(/=(.*)/s).slice(0, 2) as [string, string]));
  };
  try {
    await follow([addresses]);
    await follow(records);
  } catch (error) {
    await end();
    throw error;
  }
  return {
    directory,
    run: bash,
    createRecords: () => follow(records),
    variable: (name) => environment[name],
    end,
  };
};

/** Writes a sample to its file. @returns the commands that run it */
const commandOf = async (directory: string, language: (typeof languages)[number], code: string): Promise<string> => {
  if (language === 'curl') return code;
  if (language === 'python') {
    await writeFile(join(directory, 'sample.py'), code);
    return 'python3 sample.py';
  }
  // The name makes it an ES module.
  const { code: javascript } = transformSync(code, { jsc: { target: 'es2023', parser: { syntax: 'typescript' } } });
  await writeFile(join(directory, 'sample.mjs'), javascript);
  return 'node sample.mjs';
};

describe('the samples of the reference', () => {
  test('in TypeScript compile', async () => {
    const directory = await makeRepositoryFolder();
    const files = cases.map((_each, index) => join(directory, `sample-${index}.mts`));
    await Promise.all(files.map((file, index) => writeFile(file, samples[index]?.typescript ?? '')));
    await writeFile(join(directory, 'tsconfig.json'), JSON.stringify({ compilerOptions, files }));
    const compiler = join(root, 'node_modules/typescript-7/bin/tsc');
    const problems = await execute(process.execPath, [compiler, '-p', directory]).catch((error: unknown) => error);
    await rm(directory, { recursive: true, force: true });
    expect(problems).toMatchObject({ stdout: '' });
  });

  // Each language has its own stack, because a sample that creates a pipeline, a field or a member succeeds only once.
  describe.each(languages)('in %s', (language) => {
    let workplace: Workplace;
    beforeAll(async () => {
      workplace = await openWorkplace();
    });
    afterAll(() => workplace.end());

    test.each(variables)('the guide sets %s', (name) => {
      expect(workplace.variable(name)).toMatch(/^(?!undefined$|null$)./);
    });

    test('the first call of the guide gets the answer that the guide shows', async () => {
      const printed: unknown = JSON.parse(await workplace.run(firstCall.commands));
      expect(shownPart(firstCall.json, printed)).toEqual(firstCall.json);
    });

    test.each(cases)('%s succeeds', async (_name, each) => {
      await workplace.run(await commandOf(workplace.directory, language, each[language]));
    });

    test('the guide creates deleted records again', () => workplace.createRecords());
  });
});
