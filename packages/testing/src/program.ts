import type { ChildProcess } from 'node:child_process';
import { once } from 'node:events';

import { withAdminClient } from './admin-client.js';

const pollEveryMs = 50;

/** Whether a PostgreSQL, or a pooler in front of it, accepts connections. */
export const acceptsConnections = (url: string): Promise<boolean> =>
  withAdminClient(url, (client) => client.query('SELECT 1')).then(
    () => true,
    () => false,
  );

/** Whether an address answers with a success. */
export const isOk = (url: string): Promise<boolean> =>
  fetch(url).then(
    ({ ok }) => ok,
    () => false,
  );

/**
 * Waits until a program that was just started is ready. The time limit only guards against hanging: a start takes longer on a
 * busy machine.
 * @throws Error with the program's output if it ends before
 */
export const waitForProgram = async (
  name: string,
  child: ChildProcess,
  isReady: () => Promise<boolean>,
  output: () => string = () => '',
): Promise<void> => {
  const deadlineMs = performance.now() + 60_000;
  while (!(await isReady())) {
    if (child.exitCode !== null) throw new Error(`${name} ended with code ${child.exitCode}:\n${output()}`);
    if (performance.now() > deadlineMs) throw new Error(`${name} was not ready in time:\n${output()}`);
    await new Promise((resolve) => setTimeout(resolve, pollEveryMs));
  }
};

/** Ends a program and waits until it is gone. @returns its exit code, or null if a signal ended it */
export const endProgram = async (child: ChildProcess, signal: NodeJS.Signals): Promise<number | null> => {
  if (child.exitCode === null && child.signalCode === null) {
    const exited = once(child, 'exit');
    child.kill(signal);
    await exited;
  }
  return child.exitCode;
};
