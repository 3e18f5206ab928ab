/** @needs python3 python3-venv go java maven */
import { execFile } from 'node:child_process';
import { mkdir, mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { promisify } from 'node:util';
import { eventMessage, newSecret, signedHeaders } from '@crm/webhooks';
import { afterAll, beforeAll, expect, jest, test } from '@jest/globals';

const run = promisify(execFile);
// Guards against hangs only: most of the time is the download.
jest.setTimeout(600_000);

const sources = fileURLToPath(new URL('./libraries/', import.meta.url));
let directory: string;
let cases: string;

const keys = { type: 'account.created', object: 'account', recordId: 'b', version: 1, changed: [] };
const event = { ...keys, id: 'a', position: 7, mergedInto: null, mergedFrom: null };
const json = Buffer.from('{"id":"a","record":{"name": "Zo\u00eb", "amount": 12000.50}}');
const now = new Date();
const message = eventMessage({ ...event, occurredAt: now.toISOString(), json }, 'full', 'log');
const [old, current, other] = [newSecret(), newSecret(), newSecret()];
const signed = (secrets: readonly string[], at = now) => signedHeaders(message, secrets, at);
const body = message.body.toString('utf8');
const tenMinutesMs = 600_000;

/** What a receiver with the secret gets, and whether it accepts that. */
const sent: Readonly<Record<string, readonly [secret: string, headers: object, body: string, isAccepted: boolean]>> = {
  signed: [current, signed([current]), body, true],
  'in a rotation, to a receiver with the new secret': [current, signed([current, old]), body, true],
  'in a rotation, to a receiver with the old secret': [old, signed([current, old]), body, true],
  'signed with another secret': [other, signed([current, old]), body, false],
  'with another body': [current, signed([current]), body.replace('Zo\u00eb', 'Zoe'), false],
  'with a body that was serialized again': [current, signed([current]), JSON.stringify(JSON.parse(body)), false],
  'with another id': [current, { ...signed([current]), 'webhook-id': 'c' }, body, false],
  'from ten minutes ago': [current, signed([current], new Date(now.getTime() - tenMinutesMs)), body, false],
  'from the future': [current, signed([current], new Date(now.getTime() + tenMinutesMs)), body, false],
};
const expected = Object.values(sent).map(([, , , isAccepted]) => isAccepted);

beforeAll(async () => {
  directory = await mkdtemp(join(tmpdir(), 'crm-libraries-'));
  cases = join(directory, 'cases.json');
  const list = Object.values(sent).map(([secret, headers, text]) => ({ secret, headers, body: text }));
  await writeFile(cases, JSON.stringify(list));
});
afterAll(async () => {
  // Go makes the files of its cache read-only.
  await run('chmod', ['-R', 'u+w', directory]);
  await rm(directory, { recursive: true, force: true });
});

/** Runs a program in a folder of its own. @returns what it printed */
const runIn = async (folder: string, file: string, args: readonly string[], env: object = {}): Promise<string> => {
  const cwd = join(directory, folder);
  await mkdir(cwd, { recursive: true });
  const options = { cwd, env: { ...process.env, ...env }, maxBuffer: 10_000_000 };
  return (await run(file, args, options)).stdout;
};

/** By language: how to install the libraries in an environment of their own, and run the program that verifies each case with each. */
const languages: Readonly<Record<string, () => Promise<string>>> = {
  TypeScript: async () => {
    const packages = ['svix@2.5.0', 'standardwebhooks@1.1.1'];
    await runIn('node', 'npm', [
      'install',
      '--no-audit',
      '--no-fund',
      '--ignore-scripts',
      ...['--prefix', '.'],
      ...packages,
    ]);
    await run('cp', [join(sources, 'verify.mjs'), join(directory, 'node')]);
    return runIn('node', 'npx', ['--yes', '-p', 'node@22', 'node', 'verify.mjs', cases]);
  },
  Python: async () => {
    await runIn('python', 'python3', ['-m', 'venv', 'venv']);
    await runIn('python', 'venv/bin/pip', ['install', '--quiet', 'standardwebhooks==1.1.0', 'svix==1.99.1']);
    return runIn('python', 'venv/bin/python', [join(sources, 'verify.py'), cases]);
  },
  Go: async () => {
    const env = { GOPATH: join(directory, 'gopath'), GOFLAGS: '-mod=mod' };
    const modules = [
      'github.com/standard-webhooks/standard-webhooks/libraries@v0.0.1',
      'github.com/svix/svix-webhooks@v1.44.0',
    ];
    await runIn('go', 'go', ['mod', 'init', 'verify'], env);
    await run('cp', [join(sources, 'verify.go'), join(directory, 'go')]);
    await runIn('go', 'go', ['get', ...modules], env);
    return runIn('go', 'go', ['run', '.', cases], env);
  },
  Java: async () => {
    const folder = join(directory, 'java');
    await mkdir(folder);
    await run('cp', [join(sources, 'pom.xml'), join(sources, 'Verify.java'), folder]);
    const maven = ['-q', '-B', `-Dmaven.repo.local=${join(directory, 'm2')}`, 'dependency:copy-dependencies'];
    await runIn('java', 'mvn', [...maven, '-DoutputDirectory=libraries']);
    await runIn('java', 'javac', ['-cp', 'libraries/*', 'Verify.java']);
    return runIn('java', 'java', ['-cp', 'libraries/*:.', 'Verify', cases]);
  },
};

test.each(Object.keys(languages))(
  'standardwebhooks and svix accept in %s what they should, and nothing else',
  async (language) => {
    const printed = await languages[language]?.();
    expect(JSON.parse(printed ?? '')).toEqual({ standardwebhooks: expected, svix: expected });
  },
);
