import { readFile } from 'node:fs/promises';

import { errorCode } from '../errors.js';

/** A process. Its start time, if the system reports it, distinguishes it from a later one with the same id. */
export interface ProcessIdentity {
  readonly pid: number;
  /** On Linux, the start time in clock ticks since boot. Containers reuse ids soon, because theirs start from 1. */
  readonly startTicks: string | null;
}

/** This process. */
export const ownIdentity = async (): Promise<ProcessIdentity> => ({
  pid: process.pid,
  startTicks: await readStartTicks(process.pid),
});

/** Whether exactly this process is still running. */
export const isRunning = async ({ pid, startTicks }: ProcessIdentity): Promise<boolean> => {
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
