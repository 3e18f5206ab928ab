import { execFile } from 'node:child_process';
import { createHash } from 'node:crypto';
import { copyFile, mkdir, mkdtemp, readFile, rename, rm, stat } from 'node:fs/promises';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';

const groupsFolder = fileURLToPath(new URL('../tools/', import.meta.url));
const cacheFolder = fileURLToPath(new URL('../../../../node_modules/.cache/crm-test-tools/', import.meta.url));
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

const exists = (path: string): Promise<boolean> =>
  stat(path).then(
    () => true,
    () => false,
  );

const installInto = async (folder: string, group: string): Promise<Outcome> => {
  for (const name of ['package.json', 'package-lock.json']) {
    await copyFile(join(groupsFolder, group, name), join(folder, name));
  }
  return runProgram('npm', ['ci', '--ignore-scripts', '--no-audit', '--no-fund', '--prefer-offline'], { cwd: folder });
};

/**
 * Installs a group of pinned tools when the first test asks for it, outside the workspaces, so that `npm ci` does not load their
 * several hundred megabytes.
 * @returns their folder; null if npm cannot reach its registry, or has none of them for this platform
 * @throws Error if npm fails for another reason
 */
export const installTools = async (
  group: 'packaging' | 'generators' | 'runtimes' | 'linters',
): Promise<string | null> => {
  const lock = await readFile(join(groupsFolder, group, 'package-lock.json'));
  const folder = join(cacheFolder, `${group}-${createHash('sha256').update(lock).digest('hex').slice(0, 12)}`);
  if (await exists(folder)) return folder;
  await mkdir(cacheFolder, { recursive: true });
  const draft = await mkdtemp(join(cacheFolder, `${group}-draft-`));
  const { code, stderr } = await installInto(draft, group);
  if (code === 0) {
    // Another worker may have installed them first.
    await rename(draft, folder).catch(() => rm(draft, { recursive: true }));
    return folder;
  }
  await rm(draft, { recursive: true, force: true });
  const isOtherPlatform = stderr.includes('EBADPLATFORM');
  if (!isOffline.test(stderr) && !isOtherPlatform) throw new Error(`npm cannot install the ${group}: ${stderr}`);
  const reason = isOtherPlatform ? 'they are pinned for Linux on x64' : 'npm cannot reach its registry';
  process.stdout.write(`Not run: the tools of tests/tools/${group} are not installed, because ${reason}\n`);
  return null;
};
