import { link, readFile, rename, rm, writeFile } from 'node:fs/promises';
import { join } from 'node:path';

import { CliError, errorCode } from '../errors.js';
import { parseJsonObject } from '../json-object.js';

/** A process. Its start time, if the system reports it, distinguishes it from a later one with the same id. */
interface ProcessIdentity {
  readonly pid: number;
  /** On Linux, the start time in clock ticks since boot. Containers reuse ids soon, because theirs start from 1. */
  readonly startTicks: string | null;
}

/** This process. */
const ownIdentity = async (): Promise<ProcessIdentity> => ({
  pid: process.pid,
  startTicks: await readStartTicks(process.pid),
});

/** Whether exactly this process is still running. */
const isRunning = async ({ pid, startTicks }: ProcessIdentity): Promise<boolean> => {
  if (!hasProcess(pid)) return false;
  const current = await readStartTicks(pid);
  return current === null || startTicks === null || current === startTicks;
};

/** Whether any process has this id, including one of another user. */
export const hasProcess = (pid: number): boolean => {
  try {
    process.kill(pid, 0);
    return true;
  } catch (error) {
    return errorCode(error) === 'EPERM';
  }
};

const readStartTicks = async (pid: number): Promise<string | null> => {
  try {
    const stat = await readFile(`/proc/${pid}/stat`, 'utf8');
    // The second field is a name in brackets that may contain spaces. The start time is the 22nd field.
    const fields = stat.slice(stat.lastIndexOf(')') + 2).split(' ');
    // A zombie has ended, but its parent has not read its exit code yet.
    return fields[0] === 'Z' ? 'ended' : (fields[19] ?? null);
  } catch {
    return null;
  }
};

/** The right to run the stack on a data directory. */
export interface StackLock {
  /** Whether the previous holder ended without releasing it. */
  readonly recovered: boolean;
  release(): Promise<void>;
}

/**
 * Takes the lock of a data directory. A lock that a killed process left is taken over.
 *
 * @throws CliError if the stack already runs there.
 */
export const takeStackLock = async (directory: string): Promise<StackLock> => {
  const path = join(directory, 'start.lock');
  const mine = join(directory, `start.lock.${process.pid}`);
  await writeFile(mine, JSON.stringify(await ownIdentity()));
  let recovered = false;
  try {
    // link() is atomic: it fails if the lock exists, and no reader sees a half-written lock.
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
      'To run a second one, set another CRM_DATA_DIR, CRM_READ_PORT, CRM_INBOUND_PORT and CRM_WEBHOOK_PORT.',
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

/** Moves the stale lock away. If another start has replaced it meanwhile, puts that lock back. */
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
  const { pid, startTicks } = parseJsonObject(text);
  return typeof pid === 'number' ? { pid, startTicks: typeof startTicks === 'string' ? startTicks : null } : undefined;
};
