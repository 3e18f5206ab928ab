import { execFile } from 'node:child_process';
import { createHash } from 'node:crypto';
import { existsSync } from 'node:fs';
import { mkdir, readFile, rm, writeFile } from 'node:fs/promises';
import { basename, dirname, join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { promisify } from 'node:util';

const run = promisify(execFile);

/** The folder of the programs that tests install, which stay for later runs. */
export const testToolsFolder = fileURLToPath(new URL('../../../node_modules/.cache/crm-test-tools/', import.meta.url));

/**
 * Installs Python packages into an environment of their own, which later runs use again. Its name is that of the folder of the list.
 * @param requirements a `requirements.txt` with an exact version of every package, including those that others need
 * @returns the folder of its programs
 * @throws Error if a package lacks one that it needs, or if pip fails, for example because it cannot reach its registry
 */
export const installPython = async (requirements: string): Promise<string> => {
  const digest = createHash('sha256')
    .update(await readFile(requirements))
    .digest('hex');
  const folder = join(testToolsFolder, `python-${basename(dirname(requirements))}-${digest.slice(0, 12)}`);
  const [bin, ready] = [join(folder, 'bin'), join(folder, 'ready')];
  if (existsSync(ready)) return bin;
  // An environment cannot be moved, so it is made in its place. Without the file `ready`, it is incomplete.
  await rm(folder, { recursive: true, force: true });
  await mkdir(testToolsFolder, { recursive: true });
  await run('python3', ['-m', 'venv', folder]);
  const pip = (...args: readonly string[]) => run(join(bin, 'python'), ['-m', 'pip', ...args]);
  await pip('install', '--quiet', '--disable-pip-version-check', '--no-deps', '--requirement', requirements);
  await pip('check').catch((error: unknown) => {
    throw new Error(`${requirements} lacks a version that another one needs: ${(error as { stdout: string }).stdout}`);
  });
  await writeFile(ready, '');
  return bin;
};
