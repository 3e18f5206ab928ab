import { createHash } from 'node:crypto';
import { existsSync, mkdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { runProgram } from './tools.js';

const groupsFolder = fileURLToPath(new URL('../tools/', import.meta.url));
/** The folder of what tests install with Python's programs. */
export const pythonCache = fileURLToPath(new URL('../../../../node_modules/.cache/crm-test-tools/', import.meta.url));

const run = async (file: string, args: readonly string[]): Promise<void> => {
  const { code, stdout, stderr } = await runProgram(file, args);
  if (code !== 0) throw new Error(`${file} ${args.join(' ')} failed: ${stdout}${stderr}`);
};

/**
 * Installs the pinned Python packages of a group into an environment of their own, which later runs use again.
 * @returns the folder of its programs
 * @throws Error if pip fails, for example because it cannot reach its registry
 */
export const installPython = async (group: 'dlt' | 'singer' | 'airbyte'): Promise<string> => {
  const requirements = join(groupsFolder, group, 'requirements.txt');
  const digest = createHash('sha256').update(readFileSync(requirements)).digest('hex').slice(0, 12);
  const folder = join(pythonCache, `python-${group}-${digest}`);
  const [bin, ready] = [join(folder, 'bin'), join(folder, 'ready')];
  if (existsSync(ready)) return bin;
  // An environment cannot be moved, so it is made in its place. Without the file, it is incomplete.
  rmSync(folder, { recursive: true, force: true });
  mkdirSync(pythonCache, { recursive: true });
  await run('python3', ['-m', 'venv', folder]);
  await run(join(bin, 'pip'), ['install', '--quiet', '--disable-pip-version-check', '--no-deps', '-r', requirements]);
  writeFileSync(ready, '');
  return bin;
};
