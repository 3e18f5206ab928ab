import { execFile, spawnSync } from 'node:child_process';
import { createHash } from 'node:crypto';
import { copyFileSync, existsSync, mkdirSync, mkdtempSync, readFileSync, renameSync, rmSync } from 'node:fs';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { testToolsFolder } from '@crm/testing';

const groupsFolder = fileURLToPath(new URL('../tools/', import.meta.url));
/** What npm prints if the registry is unreachable. */
const isOffline = /\b(ENOTFOUND|EAI_AGAIN|ECONNREFUSED|ECONNRESET|ETIMEDOUT|ENETUNREACH|ENOTCACHED|EHOSTUNREACH)\b/;

/** The result of a program. */
export interface Outcome {
  readonly code: number;
  readonly stdout: string;
  readonly stderr: string;
}

/** Runs a program to its end and accepts any exit code. */
export const runProgram = (
  file: string,
  args: readonly string[],
  options: { readonly cwd?: string; readonly env?: Readonly<Record<string, string | undefined>> } = {},
): Promise<Outcome> =>
  new Promise((resolve) => {
    const env = { ...process.env, NODE_OPTIONS: undefined, ...options.env };
    execFile(file, args, { ...options, env, maxBuffer: 64 * 1024 * 1024 }, (error, stdout, stderr) => {
      const code = typeof error?.code === 'number' ? error.code : error === null ? 0 : 1;
      resolve({ code, stdout, stderr: error === null ? stderr : `${stderr}\n${error.message}` });
    });
  });

/**
 * Installs a group of pinned tools when the first test asks for it, outside the workspaces, so that `npm ci` does not load their
 * several hundred megabytes. Blocks, because whether a test exists depends on it.
 * @returns their folder; null if npm cannot reach its registry, or has none of them for this platform
 * @throws Error if npm fails for another reason
 */
export const installTools = (group: 'packaging' | 'generators' | 'runtimes' | 'linters'): string | null => {
  const lock = readFileSync(join(groupsFolder, group, 'package-lock.json'));
  const folder = join(testToolsFolder, `${group}-${createHash('sha256').update(lock).digest('hex').slice(0, 12)}`);
  if (existsSync(folder)) return folder;
  mkdirSync(testToolsFolder, { recursive: true });
  const draft = mkdtempSync(join(testToolsFolder, `${group}-draft-`));
  for (const name of ['package.json', 'package-lock.json']) {
    copyFileSync(join(groupsFolder, group, name), join(draft, name));
  }
  const args = ['ci', '--ignore-scripts', '--no-audit', '--no-fund', '--prefer-offline'];
  const env = { ...process.env, NODE_OPTIONS: undefined };
  const { status, stderr } = spawnSync('npm', args, { cwd: draft, encoding: 'utf8', env });
  if (status === 0) {
    // Another worker may have installed them first.
    if (existsSync(folder)) rmSync(draft, { recursive: true });
    else renameSync(draft, folder);
    return folder;
  }
  rmSync(draft, { recursive: true, force: true });
  const isOtherPlatform = stderr.includes('EBADPLATFORM');
  if (!isOffline.test(stderr) && !isOtherPlatform) throw new Error(`npm cannot install the ${group}: ${stderr}`);
  const reason = isOtherPlatform ? 'they are pinned for Linux on x64' : 'npm cannot reach its registry';
  process.stdout.write(`Not run: the tools of tests/tools/${group} are not installed, because ${reason}\n`);
  return null;
};
