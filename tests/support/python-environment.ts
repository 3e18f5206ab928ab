import { execFile } from 'node:child_process';
import { existsSync } from 'node:fs';
import { writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { promisify } from 'node:util';

const run = promisify(execFile);
const cache = fileURLToPath(new URL('../../node_modules/.cache/crm-test-tools/', import.meta.url));

/** A Python environment with exact versions of packages, which stays for later runs. @returns its folder of programs */
export const pythonWith = async (name: string, packages: readonly string[]): Promise<string> => {
  const environment = join(cache, `python-${name}-${packages.join('-').replaceAll(/[^a-z0-9.-]/g, '')}`);
  const programs = join(environment, 'bin');
  if (existsSync(join(environment, 'complete'))) return programs;
  await run('python3', ['-m', 'venv', environment]);
  await run(join(programs, 'python'), ['-m', 'pip', 'install', '--quiet', ...packages]);
  await writeFile(join(environment, 'complete'), '');
  return programs;
};
