import { execFile } from 'node:child_process';
import { mkdir, mkdtemp, readFile, rm, symlink, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';

import { afterEach, beforeEach, describe, expect, it } from '@jest/globals';

const root = fileURLToPath(new URL('../../../', import.meta.url));
const script = join(root, '.ci/build-quietly.mjs');

let folder: string;
beforeEach(async () => {
  folder = await mkdtemp(join(tmpdir(), 'crm-build-'));
  await symlink(join(root, 'node_modules'), join(folder, 'node_modules'));
  const own = { name: 'small', private: true, packageManager: 'npm@11.0.0', workspaces: ['packages/*'] };
  await writeFile(join(folder, 'package.json'), JSON.stringify(own));
  await writeFile(
    join(folder, 'package-lock.json'),
    JSON.stringify({ name: 'small', lockfileVersion: 3, packages: {} }),
  );
  await writeFile(join(folder, 'turbo.json'), JSON.stringify({ tasks: { build: { cache: false } } }));
});
afterEach(() => rm(folder, { recursive: true }));

/** Builds a repository with one package that has this build script. */
const build = async (command: string): Promise<{ code: number; stdout: string; stderr: string }> => {
  const one = join(folder, 'packages/one');
  await mkdir(one, { recursive: true });
  await writeFile(join(one, 'package.json'), JSON.stringify({ name: '@small/one', scripts: { build: command } }));
  return new Promise((resolve) => {
    execFile(process.execPath, [script], { cwd: folder }, (error, stdout, stderr) =>
      resolve({ code: typeof error?.code === 'number' ? error.code : 0, stdout, stderr }),
    );
  });
};

describe('the build of npm start', () => {
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
