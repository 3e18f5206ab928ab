/** @needs python3 python3-venv go java maven */
// Clients that openapi-generator makes of the document of both gateways do the main job, against gateways of a later version.
import { execFile } from 'node:child_process';
import { copyFile, mkdir, mkdtemp, readdir, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { promisify } from 'node:util';
import { openAdministrationDatabase } from '@crm/db';
import { installPython, readTestStack, type TestOrganization } from '@crm/testing';
import { createTestOrganization } from '@crm/testing/suites';
import { afterAll, beforeAll, describe, expect, test } from '@jest/globals';
import { type LaterVersion, startLaterVersion } from './support/unknown-additions.js';

const run = promisify(execFile);
const root = fileURLToPath(new URL('../', import.meta.url));
const sources = fileURLToPath(new URL('support/generated-clients/', import.meta.url));
const document = join(root, 'docs/openapi/both-gateways.json');
const compiler = join(root, 'node_modules/typescript-7/bin/tsc');
/** Guards against hangs only: most of the time is the download of the programs. */
const timeoutMs = 900_000;
const version = '7.25.0';
const pluginPrefix = 'org.apache.maven.plugins:maven-dependency-plugin:3.3.0';

let folder: string;
let later: LaterVersion;
let organization: TestOrganization;
const stack = readTestStack();
const database = openAdministrationDatabase({ url: stack.databaseUrl, applicationName: 'generated-clients-test' });

type Command = readonly [string, ...string[]];
interface Language {
  /** The options of the generator. */
  readonly options: Readonly<Record<string, unknown>>;
  /** Compiles the client and the program that uses it. @returns the command line */
  readonly build: (own: string) => Promise<Command>;
}

const languages: Readonly<Record<string, Language>> = {
  python: {
    options: { packageName: 'crm_api' },
    build: async (own) => {
      await copyFile(join(sources, 'main.py'), join(own, 'main.py'));
      return [join(await installPython(join(sources, 'requirements.txt')), 'python'), join(own, 'main.py')];
    },
  },
  java: {
    options: {
      ...{ library: 'native', apiPackage: 'crm.api', modelPackage: 'crm.model', invokerPackage: 'crm.client' },
    },
    build: async (own) => {
      const [jars, classes] = [join(own, 'jars'), join(own, 'classes')];
      const goal = `${pluginPrefix}:copy-dependencies`;
      await run('mvn', ['-q', '-B', goal, '-DincludeScope=compile', `-DoutputDirectory=${jars}`], { cwd: own });
      const files = await readdir(join(own, 'src/main/java'), { recursive: true });
      const all = files.filter((file) => file.endsWith('.java')).map((file) => join(own, 'src/main/java', file));
      await writeFile(join(own, 'files'), [...all, join(sources, 'Main.java')].join('\n'));
      await run('javac', ['-proc:none', '-nowarn', '-d', classes, '-cp', `${jars}/*`, `@${join(own, 'files')}`]);
      return ['java', '-cp', `${classes}:${jars}/*`, 'Main'];
    },
  },
  go: {
    // By default the client for Go refuses a response with a property that it does not know, and does not compile if two enums have a value
    // of one name.
    options: {
      ...{ packageName: 'crmapi', withGoMod: false },
      ...{ disallowAdditionalPropertiesIfNotPresent: false, enumClassPrefix: true },
    },
    build: async (own) => {
      await mkdir(join(own, 'main'));
      await copyFile(join(sources, 'main.go'), join(own, 'main/main.go'));
      const requirements = 'require gopkg.in/validator.v2 v2.0.1';
      await writeFile(join(own, 'go.mod'), `module crmapi\n\ngo 1.19\n\n${requirements}\n`);
      const options = { cwd: own, env: { ...process.env, GOFLAGS: '-mod=mod' } };
      await run('go', ['build', '-o', 'program', './main'], options);
      return [join(own, 'program')];
    },
  },
  'typescript-fetch': {
    options: {},
    build: async (own) => {
      await copyFile(join(sources, 'main.ts.txt'), join(own, 'main.ts'));
      const compilerOptions = {
        ...{ strict: true, exactOptionalPropertyTypes: false, skipLibCheck: true, types: [] },
        ...{ target: 'es2022', lib: ['es2022', 'dom'], module: 'commonjs', esModuleInterop: true },
        ...{ moduleResolution: 'bundler', outDir: 'built' },
      };
      await writeFile(join(own, 'tsconfig.json'), JSON.stringify({ compilerOptions, files: ['main.ts'] }));
      // The compiler prints errors to standard output.
      await run('sh', ['-c', `${process.execPath} ${compiler} -p ${own} >&2`]);
      return [process.execPath, join(own, 'built/main.js')];
    },
  },
};

beforeAll(async () => {
  folder = await mkdtemp(join(tmpdir(), 'crm-generated-'));
  later = await startLaterVersion(stack);
  organization = await createTestOrganization(database);
  const artifact = `-Dartifact=org.openapitools:openapi-generator-cli:${version}`;
  await run('mvn', ['-q', '-B', `${pluginPrefix}:copy`, artifact, `-DoutputDirectory=${folder}`], { cwd: folder });
  const nothing = { apiTests: 'false', modelTests: 'false', apiDocs: 'false', modelDocs: 'false' };
  const files = Object.entries(languages).map(async ([generatorName, { options: additionalProperties }]) => {
    const file = join(folder, `${generatorName}.json`);
    const output = { outputDir: join(folder, generatorName), globalProperties: nothing, additionalProperties };
    await writeFile(file, JSON.stringify({ generatorName, inputSpec: document, ...output }));
    return file;
  });
  const jar = join(folder, `openapi-generator-cli-${version}.jar`);
  await run('java', ['-jar', jar, 'batch', '--fail-fast', '-r', '1', ...(await Promise.all(files))]);
}, timeoutMs);
afterAll(async () => {
  await later.stop();
  await database.close();
  await rm(folder, { recursive: true, force: true });
});

describe.each(Object.entries(languages))('the client of openapi-generator for %s', (language, { build }) => {
  test(
    'is compiled and does the main job',
    async () => {
      const [file, ...args] = await build(join(folder, language));
      const { key } = await organization.createKey({ limits: { list: 1 } });
      const name = language.replace('-', '');
      const env = {
        ...{ PATH: process.env['PATH'], URL: later.url, NAME: name, PIPELINE_ID: organization.pipeline.id },
        ...{ KEY: organization.key, SLOW_KEY: key },
      };
      const { stdout } = await run(file, args, { env });
      expect(JSON.parse(stdout)).toEqual({
        statuses: ['created', 'matched'],
        bulk: [true, true, true, true, false],
        names: [1, 2, 3, 4, 5].map((n) => `${name} ${n}`),
        found: [`${name} 1`],
        amount: 1234567.89,
        closeDate: 1798675200000,
        changed: [null, 'Call'],
        codes: [
          ...['400 validation_failed', '404 not_found', '409 conflict', '412 precondition_failed'],
          '429 rate_limited',
        ],
        event: 'task.created',
      });
    },
    timeoutMs,
  );
});
