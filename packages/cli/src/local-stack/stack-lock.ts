import { link, readFile, rename, rm, writeFile } from 'node:fs/promises';
import { join } from 'node:path';

import { isAlive } from '@crm/local-postgres';

import { CliError, errorCode } from '../errors.js';
import { parseJsonObject } from '../json-object.js';

/** A process. Its start time, if the system reports it, distinguishes it from a later one with the same id. */
interface ProcessIdentity {
  readonly pid: number;
  /** On Linux, the start time in clock ticks since boot. Containers reuse ids soon, because theirs start from 1. */
  readonly startTicks: string | null;
}

const readStartTicks = async (pid: number): Promise<string | null> => {
  try {
    const stat = await readFile(`/proc/${pid}/stat`, 'utf8');
    // The second field is a name in brackets that may contain spaces. The start time is the 22nd field.
    const fields = stat.slice(stat.lastIndexOf(')') + 2).split(' ');
    return fields[19] ?? null;
  } catch {
    return null;
  }
};

/** Whether exactly this process is still running. */
const isRunning = async ({ pid, startTicks }: ProcessIdentity): Promise<boolean> => {
  if (!isAlive(pid)) return false;
  const current = await readStartTicks(pid);
  return current === null || startTicks === null || current === startTicks;
};

/** The right to run the stack on a data directory. */
export interface StackLock {
  /** Whether the previous holder ended without releasing it. */
  readonly recovered: boolean;
  release(): Promise<void>;
}

/**
 * Takes the lock of a data directory. A lock that a killed process left is replaced. If two starts replace it at the same
 * moment, the ports decide.
 *
 * @throws CliError if the stack already runs there.
 */
export const takeStackLock = async (directory: string): Promise<StackLock> => {
  const path = join(directory, 'start.lock');
  const mine = `${path}.${process.pid}`;
  const own: ProcessIdentity = { pid: process.pid, startTicks: await readStartTicks(process.pid) };
  await writeFile(mine, JSON.stringify(own));
  const lock = (recovered: boolean): StackLock => ({ recovered, release: () => rm(path, { force: true }) });
  try {
    // link() is atomic: it fails if the lock exists, and no reader sees a half-written lock.
    await link(mine, path);
    return lock(false);
  } catch (error) {
    if (errorCode(error) !== 'EEXIST') throw error;
    const holder = parseIdentity(await readFile(path, 'utf8').catch(() => ''));
    if (holder !== undefined && (await isRunning(holder))) throw alreadyRuns(directory, holder);
    await rename(mine, path);
    return lock(true);
  } finally {
    await rm(mine, { force: true });
  }
};

const alreadyRuns = (directory: string, { pid }: ProcessIdentity): CliError =>
  new CliError(
    [
      `The local stack already runs here (process ${pid}, data in ${directory}).`,
      `Stop it with Ctrl-C where it runs, or: kill ${pid}`,
      'To run a second one, set another CRM_DATA_DIR, CRM_READ_PORT, CRM_INBOUND_PORT and CRM_WEBHOOK_PORT.',
    ].join('\n'),
  );

const parseIdentity = (text: string): ProcessIdentity | undefined => {
  const { pid, startTicks } = parseJsonObject(text);
  return typeof pid === 'number' ? { pid, startTicks: typeof startTicks === 'string' ? startTicks : null } : undefined;
};
