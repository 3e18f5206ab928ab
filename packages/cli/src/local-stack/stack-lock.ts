import { link, readFile, rename, rm, writeFile } from 'node:fs/promises';
import { join } from 'node:path';

import { CliError, errorCode } from '../errors.js';
import { isRunning, ownIdentity, type ProcessIdentity } from './process-identity.js';

/** The right to run the stack on a data directory. */
export interface StackLock {
  /** Whether the one who had it before ended without giving it back. */
  readonly recovered: boolean;
  release(): Promise<void>;
}

/**
 * Takes the lock of a data directory; one left by a killed process is taken over.
 *
 * @throws CliError when the stack runs there already.
 */
export const takeStackLock = async (directory: string): Promise<StackLock> => {
  const path = join(directory, 'start.lock');
  const mine = join(directory, `start.lock.${process.pid}`);
  await writeFile(mine, JSON.stringify(await ownIdentity()));
  let recovered = false;
  try {
    // link() fails when the lock exists, and shows it whole or not at all.
    while (!(await tryLink(mine, path))) {
      const text = await readFile(path, 'utf8').catch(() => '');
      const holder = parseIdentity(text);
      if (holder !== undefined && (await isRunning(holder))) throw alreadyRuns(directory, holder);
      recovered = true;
      await removeStale(path, `${mine}.stale`, text);
    }
  } finally {
    await rm(mine, { force: true });
  }
  return { recovered, release: () => rm(path, { force: true }) };
};

const alreadyRuns = (directory: string, { pid }: ProcessIdentity): CliError =>
  new CliError(
    [
      `The local stack already runs here (process ${pid}, data in ${directory}).`,
      `Stop it with Ctrl-C where it runs, or: kill ${pid}`,
      'For a second one give it its own CRM_DATA_DIR, CRM_READ_PORT and CRM_INBOUND_PORT.',
    ].join('\n'),
  );

const tryLink = async (from: string, to: string): Promise<boolean> => {
  try {
    await link(from, to);
    return true;
  } catch (error) {
    if (errorCode(error) === 'EEXIST') return false;
    throw error;
  }
};

/** Moves the stale lock away. Should another start have been faster, its fresh lock is put back. */
const removeStale = async (path: string, aside: string, staleText: string): Promise<void> => {
  try {
    await rename(path, aside);
  } catch (error) {
    if (errorCode(error) === 'ENOENT') return;
    throw error;
  }
  if ((await readFile(aside, 'utf8')) !== staleText) await tryLink(aside, path);
  await rm(aside, { force: true });
};

const parseIdentity = (text: string): ProcessIdentity | undefined => {
  try {
    const value: unknown = JSON.parse(text);
    if (typeof value !== 'object' || value === null || !('pid' in value) || typeof value.pid !== 'number')
      return undefined;
    const startTicks = 'startTicks' in value && typeof value.startTicks === 'string' ? value.startTicks : null;
    return { pid: value.pid, startTicks };
  } catch {
    return undefined;
  }
};
