// Scripts of the repository that start other programs.
import { execFile } from 'node:child_process';
import { createHash } from 'node:crypto';
import { cp, mkdir, mkdtemp, readFile, rm, symlink, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { promisify } from 'node:util';
import { afterEach, beforeEach, describe, expect, it } from '@jest/globals';

const run = promisify(execFile);
const root = fileURLToPath(new URL('../', import.meta.url));

let folder: string;
beforeEach(async () => {
  folder = await mkdtemp(join(tmpdir(), 'crm-scripts-'));
});
afterEach(() => rm(folder, { recursive: true, force: true }));

describe('the build of npm start', () => {
  beforeEach(async () => {
    await symlink(join(root, 'node_modules'), join(folder, 'node_modules'));
    const own = { name: 'small', private: true, packageManager: 'npm@11.0.0', workspaces: ['packages/*'] };
    await writeFile(join(folder, 'package.json'), JSON.stringify(own));
    const lock = { name: 'small', lockfileVersion: 3, packages: {} };
    await writeFile(join(folder, 'package-lock.json'), JSON.stringify(lock));
    await writeFile(join(folder, 'turbo.json'), JSON.stringify({ tasks: { build: { cache: false } } }));
  });

  /** Builds a repository with one package that has this build script. */
  const build = async (command: string): Promise<{ code: number; stdout: string; stderr: string }> => {
    const one = join(folder, 'packages/one');
    await mkdir(one, { recursive: true });
    await writeFile(join(one, 'package.json'), JSON.stringify({ name: '@small/one', scripts: { build: command } }));
    return new Promise((resolve) => {
      execFile(process.execPath, [join(root, '.ci/build-quietly.mjs')], { cwd: folder }, (error, stdout, stderr) =>
        resolve({ code: typeof error?.code === 'number' ? error.code : 0, stdout, stderr }),
      );
    });
  };

  it('prints one line if it succeeds', async () => {
    expect(await build('echo made it')).toEqual({
      code: 0,
      stdout: '',
      stderr: 'Building (about a minute the first time)\n',
    });
  });

  it('prints all output of the tools if it fails, and fails itself', async () => {
    const { code, stderr } = await build('echo one fault; echo another >&2; exit 3');
    expect(code).toBeGreaterThan(0);
    expect(stderr).toMatch(/@small\/one:build: one fault/);
    expect(stderr).toMatch(/@small\/one:build: another/);
  });

  it('is the first step of npm start', async () => {
    const { scripts } = JSON.parse(await readFile(join(root, 'package.json'), 'utf8')) as {
      scripts: Record<string, string>;
    };
    expect(scripts['start']).toBe('node .ci/build-quietly.mjs && exec node packages/cli/bin/crm.js start');
  });
});

describe('docker/pin-images.sh', () => {
  const shipped = join(root, 'docker');
  const files = ['Dockerfile', ...['', '.replica', '.observability', '.citus'].map((name) => `compose${name}.yaml`)];
  const image = /docker\.io\/[a-z0-9/-]+:[^\s}]+/g;
  beforeEach(async () => {
    for (const file of [...files, 'pin-images.sh']) await cp(join(shipped, file), join(folder, file));
  });

  /** The digest that this test's registry returns for a tag. It changes with `version`. */
  const digestOf = (tag: string, version: string): string =>
    `sha256:${createHash('sha256').update(`${tag}\n${version}\n`).digest('hex')}`;

  /** Runs the script with a stub of `docker` that has one command, and a registry that has every tag. */
  const pin = async (version: string): Promise<string> => {
    const docker = `#!/bin/sh
    [ "$1 $2 $3 $4 $5" = 'buildx imagetools inspect --format {{.Manifest.Digest}}' ] || exit 1
    echo "sha256:$(printf '%s\\n%s\\n' "$6" '${version}' | sha256sum | cut -d ' ' -f 1)"\n`;
    await writeFile(join(folder, 'docker'), docker, { mode: 0o755 });
    const { stdout } = await run('sh', [join(folder, 'pin-images.sh')], {
      env: { PATH: `${folder}:${process.env['PATH'] ?? ''}` },
    });
    return stdout;
  };

  const readAll = (from: string): Promise<string[]> =>
    Promise.all(files.map((file) => readFile(join(from, file), 'utf8')));

  it('adds the digest of its tag to every image, and later replaces it', async () => {
    const before = (await readAll(shipped)).map((text) => text.replace(/@sha256:[0-9a-f]{64}/g, ''));
    expect(before.join('\n').match(image)?.length).toBeGreaterThanOrEqual(8);
    for (const version of ['first', 'second']) {
      await pin(version);
      expect(await readAll(folder)).toEqual(
        before.map((text) => text.replace(image, (tag) => `${tag}@${digestOf(tag, version)}`)),
      );
    }
  });

  it('changes nothing if the registry has no such tag', async () => {
    await writeFile(join(folder, 'docker'), '#!/bin/sh\necho "not found"\n', { mode: 0o755 });
    const env = { PATH: `${folder}:${process.env['PATH'] ?? ''}` };
    await expect(run('sh', [join(folder, 'pin-images.sh')], { env })).rejects.toThrow('has no digest: not found');
    expect(await readAll(folder)).toEqual(await readAll(shipped));
  });
});
