import { readFile } from 'node:fs/promises';

import { errorCode } from '../errors.js';

/** A process. Its start time, if the system reports it, distinguishes it from a later one with the same id. */
export interface ProcessIdentity {
  readonly pid: number;
  /** Clock ticks since boot, on Linux; ids are used again soon in containers, where they start from 1. */
  readonly startTicks: string | null;
}

/** This process. */
export const ownIdentity = async (): Promise<ProcessIdentity> => ({
  pid: process.pid,
  startTicks: await readStartTicks(process.pid),
});

/** Whether that very process still runs. */
export const isRunning = async ({ pid, startTicks }: ProcessIdentity): Promise<boolean> => {
  if (!hasProcess(pid)) return false;
  const current = await readStartTicks(pid);
  return current === null || startTicks === null || current === startTicks;
};

/** Whether any process has this id, also one of another user. */
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
    // The second field is a name in brackets that may hold spaces; the start time is the 22nd.
    const fields = stat.slice(stat.lastIndexOf(')') + 2).split(' ');
    // A zombie does nothing any more: its parent has only not asked for its exit code yet.
    return fields[0] === 'Z' ? 'ended' : (fields[19] ?? null);
  } catch {
    return null;
  }
};
