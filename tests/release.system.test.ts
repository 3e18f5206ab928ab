/** What a release publishes. @needs curl */
import { execFile } from 'node:child_process';
import { createHash } from 'node:crypto';
import { readdirSync, readFileSync } from 'node:fs';
import { chmod, chown, copyFile, mkdir, mkdtemp, realpath, rm, symlink, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { promisify } from 'node:util';
import { afterAll, beforeAll, describe, expect, jest, test } from '@jest/globals';
import { BashSession } from './support/bash-session.js';
import { freePorts, RunningStack } from './support/running-stack.js';
import { readShellExamples, shownPart } from './support/shell-examples.js';

/** The first start downloads 60 MB from the npm registry. */
jest.setTimeout(300_000);
const run = promisify(execFile);
const root = fileURLToPath(new URL('../', import.meta.url));
const read = (path: string): string => readFileSync(join(root, path), 'utf8');
const { version, repository } = JSON.parse(read('package.json')) as Record<'version' | 'repository', string>;
const repositoryName = repository.replace('github:', '');
const fileNames = [`crm-${version}.cdx.json`, `crm-cli-${version}.tgz`, `crm-client-${version}.tgz`] as const;
const [bill, commandLine, client] = fileNames.map((name) => join(root, 'dist/release', name)) as [
  string,
  string,
  string,
];

let directory: string;
let dryRun: string;

/** Stands for the programs that publish: writes its command line to `calls`, and answers the questions of the script. */
const stub = `#!/bin/sh
[ "$1" != "$FAILS" ] || exit 1
case "$(basename "$0") $1 $2" in
  'docker image inspect') echo '1000 sha256:1234' ;;
  'npm pack'*) exec "$NPM" "$@" ;;
  'npm view'*) exit 1 ;;
  *) echo "$(basename "$0") $*" >> "$CALLS" ;;
esac
for word; do case "$word" in --digestfile=*) echo 'sha256:12' > "\${word#*=}" ;; esac; done
`;
const programPath = async (name: string): Promise<string> =>
  realpath((await run('sh', ['-c', `command -v ${name}`])).stdout.trim());

/** Runs the script. @returns its lines and the calls of programs that publish */
const makeRelease = async (stubs: readonly string[], options: readonly string[] = [], more = {}) => {
  const folder = await mkdtemp(join(directory, 'stubs-'));
  for (const name of stubs) await writeFile(join(folder, name), stub, { mode: 0o755 });
  const own = { NPM: await programPath('npm'), CALLS: join(folder, 'calls'), PATH: `${folder}:${process.env['PATH']}` };
  const env = { ...process.env, ...own, ...more };
  const { stdout } = await run(process.execPath, [join(root, '.ci/release.mjs'), ...options], { env });
  return { stdout, calls: readFileSync(own.CALLS, 'utf8').trim().split('\n') };
};
/** The printed lines about packages and files. */
const filesIn = (text: string): string[] => text.match(/^(npm |dist).*$/gm) ?? [];

beforeAll(async () => {
  directory = await mkdtemp(join(tmpdir(), 'crm-release-'));
  await chmod(directory, 0o755);
  dryRun = (await makeRelease(['docker'])).stdout;
});
afterAll(() => rm(directory, { recursive: true, force: true }));

describe('the release', () => {
  test('is printed with sizes, digests and notes by the dry run', async () => {
    const images = ['read-gateway', 'inbound-gateway', 'webhook-worker', 'migrate'].map(
      (name) => `ghcr.io/${repositoryName}/${name}:${version}  1 kB  sha256:1234`,
    );
    expect(dryRun.split('\n').slice(0, 4)).toEqual(images);
    expect(filesIn(dryRun).map((line) => line.split(/[ ,]+/)[line.startsWith('npm') ? 1 : 0])).toEqual([
      ...[`@crm/client@${version}`, `@crm/cli@${version}`],
      ...fileNames.map((name) => `dist/release/${name}`),
    ]);
    for (const line of filesIn(dryRun)) expect(line).toMatch(/ {2}[1-9]\d* kB {2}(sha256:[0-9a-f]{64}|sha512-\S{88})$/);
    expect(dryRun).toContain(createHash('sha512').update(readFileSync(commandLine)).digest('base64'));
    expect(dryRun).toContain('\n### Added\n');
  });

  test('is printed with the packages and fails if an image cannot be built', async () => {
    const stdout: unknown = expect.stringMatching(/ {2}not built, because docker failed\n[^]*\nnpm @crm\/cli@/);
    await expect(makeRelease(['docker'], [], { FAILS: 'build' })).rejects.toMatchObject({ code: 1, stdout });
  });

  test('is published for its tag only, with the printed bytes, signed and with the bill of materials', async () => {
    const env = { GITHUB_REPOSITORY: repositoryName, GITHUB_REF_NAME: `v${version}` };
    const built = await makeRelease(['docker'], ['--build']);
    expect(filesIn(built.stdout)).toEqual(filesIn(dryRun));
    expect(built.calls.filter((call) => call.includes('migrate'))).toEqual([
      expect.stringMatching(
        /^docker buildx build .* --platform=linux\/amd64,linux\/arm64 --sbom=true .* --output=type=oci,dest=dist\/images\/migrate.tar \.$/,
      ),
    ]);
    const { stdout, calls } = await makeRelease(['docker', 'skopeo', 'cosign', 'gh', 'npm'], ['--publish'], env);
    expect(filesIn(stdout)).toEqual(filesIn(dryRun).filter((line) => line.startsWith('dist')));
    expect(calls.filter((call) => call.startsWith('docker'))).toEqual([]);
    const image = `ghcr.io/${repositoryName}/migrate:${version}@sha256:12`;
    expect(calls.filter((call) => /migrate|^npm|^gh/.test(call))).toEqual([
      `skopeo copy --all --digestfile=dist/images/migrate.digest oci-archive:dist/images/migrate.tar docker://${image.split('@')[0]}`,
      `cosign sign --yes ${image}`,
      `cosign attest --yes --type=cyclonedx --predicate=dist/release/${fileNames[0]} ${image}`,
      ...[fileNames[2], fileNames[1]].map(
        (name) => `npm publish dist/release/${name} --ignore-scripts --loglevel=error`,
      ),
      expect.stringMatching(new RegExp(`^gh release create v${version} .*${fileNames.join('.*')}$`)),
    ]);
    await expect(makeRelease([], ['--publish'], { ...env, GITHUB_REF_NAME: 'v0' })).rejects.toThrow('This is');
  });

  test('is published after all tests, by actions that are named by commit', () => {
    const workflow = read('.github/workflows/release.yml');
    expect(workflow).toMatch(
      / run: bash \.ci\/run\n[^]* needs: check\n[^]* needs: build\n[^]* run: node \.ci\/release\.mjs --publish\n/,
    );
    expect(workflow.match(/uses: (?!\S+@[0-9a-f]{40} # v)/g)).toBeNull();
  });

  test('is built without the rights to publish, and published without running code of other packages', () => {
    const [, build = '', publish = ''] = read('.github/workflows/release.yml').split(/^ {2}(?:build|publish):\n/m);
    expect(build).toContain('permissions: { contents: read }');
    expect(build).toContain('run: node .ci/release.mjs --build');
    expect(build).not.toMatch(/secrets\.|github\.token|: write/);
    expect(publish).toMatch(/ environment: release\n/);
    expect(publish).not.toMatch(/npm (ci|install|run)|docker build/);
    for (const job of [build, publish]) {
      expect(job).toMatch(/setup-node[^]*package-manager-cache: false/);
      expect(job).not.toMatch(/actions\/cache|(?<!-)\bcache:|type=gha/);
    }
  });
});

describe.each([22, 24])('npx @crm/cli start, by an ordinary user with only Node %i', (major) => {
  const calls = readShellExamples(read('README.md')).slice(1, 3);
  let folder: string;
  let stack: RunningStack;

  beforeAll(async () => {
    folder = join(directory, String(major));
    const [bin, cache] = [join(folder, 'bin'), join(directory, 'npm')];
    for (const path of [bin, cache]) await mkdir(path, { recursive: true });
    // The package `node` downloads its program in an install script.
    const node = ['--yes', '--ignore-scripts=false', '-p', `node@${major}`, '-c', 'node --print process.execPath'];
    await copyFile((await run('npx', node, { cwd: directory })).stdout.trim(), join(bin, 'node'));
    await symlink('/bin/sh', join(bin, 'sh'));
    // Only root can switch users.
    const user = process.getuid?.() === 0 ? 65_534 : process.getuid?.();
    for (const path of [folder, cache]) await chown(path, user ?? -1, user ?? -1);
    const network = Object.entries(process.env).filter(([name]) => /^node_extra_ca_certs$|_proxy$/i.test(name));
    const own = { PATH: bin, HOME: folder, CRM_DATA_DIR: join(folder, '.crm'), npm_config_cache: cache };
    const env = { ...Object.fromEntries(network), ...own, ...(await freePorts()) };
    const [start = ''] = /(?<=`npx )@crm\/cli start(?=`)/.exec(read('README.md')) ?? [];
    const words = start.replace('@crm/cli', `file:${commandLine}`).split(' ');
    stack = new RunningStack(env, user, [join(bin, 'node'), await programPath('npx'), '--yes', ...words]);
    // npx downloads the packages first.
    await stack.ready(240_000);
  });

  /** As Ctrl-C in a terminal, which reaches npx and what it started. npx alone does not pass signals on. */
  const interrupt = async (): Promise<number | null> => {
    const { pid } = JSON.parse(readFileSync(join(folder, '.crm/start.lock'), 'utf8')) as { pid: number };
    process.kill(pid, 'SIGINT');
    return stack.exitCode;
  };
  // After a failed test it may still run.
  afterAll(() => interrupt().catch(() => undefined));

  test('answers the first calls of README.md', async () => {
    const session = new BashSession(folder, {});
    for (const { commands, json } of calls) {
      const { stdout } = await session.run(commands);
      expect(shownPart(json, JSON.parse(stdout))).toEqual(json);
    }
    session.end();
  });

  test('answers the client, which needs no other package', async () => {
    const project = await mkdtemp(join(directory, 'project-'));
    await run('npm', ['install', '--offline', client], { cwd: project });
    const code = `const demo = require('${join(folder, '.crm/demo.json')}');
      const crm = require('@crm/client').createClient({ readUrl: demo.read_url, apiKey: demo.api_key });
      crm.key.get().then(({ data }) => console.log(data.organization_id === demo.organization_id));`;
    expect((await run(join(folder, 'bin/node'), ['-e', code], { cwd: project })).stdout).toBe('true\n');
    expect(readFileSync(join(project, 'node_modules/@crm/client/README.md'), 'utf8')).not.toContain('](../');
    const crm = join(directory, 'npm/_npx', readdirSync(join(directory, 'npm/_npx'))[0] ?? '', 'node_modules/.bin/crm');
    const types = await run(crm, ['types'], { env: { ...process.env, CRM_DATA_DIR: join(folder, '.crm') } });
    const key = await run(crm, ['key', 'check'], { env: { ...process.env, CRM_DATA_DIR: join(folder, '.crm') } });
    expect(key.stdout).toContain('Demo organization');
    expect(types.stdout).toMatch(/^import type .* from '@crm\/client';$/m);
  });

  test('installs only packages of the bill of materials', () => {
    const { components } = JSON.parse(readFileSync(bill, 'utf8')) as { components: { name: string }[] };
    const [installed = ''] = readdirSync(join(directory, 'npm/_npx'));
    const lock = readFileSync(join(directory, 'npm/_npx', installed, 'node_modules/.package-lock.json'), 'utf8');
    const names = [...lock.matchAll(/^ {4}"(?:.*\/)?node_modules\/([^"]+)": /gm)].map(([, name]) => name);
    expect(names.length).toBeGreaterThan(100);
    expect(names.filter((name) => !components.some((component) => component.name === name))).toEqual([]);
  });

  test('ends without an error', async () => {
    expect(await interrupt()).toBe(0);
  });
});
