import { type ChildProcess, spawn, type SpawnOptions } from 'node:child_process';
import { once } from 'node:events';
import { setTimeout as sleep } from 'node:timers/promises';

import { withAdminClient } from './admin-client.js';

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

/** A running program. It ends with this process. */
export interface Program {
  readonly child: ChildProcess;
  /** Everything that it has written to standard output and standard error so far, unless `stdio` says where it goes. */
  readonly output: () => string;
  /** Ends it and waits until it is gone. @returns its exit code, or null if a signal ended it */
  readonly stop: (signal?: NodeJS.Signals) => Promise<number | null>;
}

const end = async (child: ChildProcess, signal: NodeJS.Signals): Promise<number | null> => {
  if (child.exitCode === null && child.signalCode === null) {
    const exited = once(child, 'exit');
    child.kill(signal);
    await exited;
  }
  return child.exitCode;
};

/** Only a guard against hanging: a start takes a second, and two minutes beside sixty busy processes. */
const patienceMs = 300_000;

const running = new Set<ChildProcess>();
process.once('exit', () => {
  for (const child of running) child.kill('SIGKILL');
});

/**
 * Starts a program and waits until it is ready.
 * @throws Error with the program's output if it ends before
 */
export const startProgram = async (
  [command, ...args]: readonly [string, ...string[]],
  isReady: () => Promise<boolean>,
  options: SpawnOptions = {},
): Promise<Program> => {
  const child = spawn(command, args, { stdio: ['ignore', 'pipe', 'pipe'], ...options });
  running.add(child);
  child.once('exit', () => running.delete(child));
  let output = '';
  for (const stream of [child.stdout, child.stderr])
    stream?.on('data', (chunk: Buffer) => (output += chunk.toString()));
  const stop = (signal: NodeJS.Signals = 'SIGTERM') => end(child, signal);
  const deadlineMs = performance.now() + patienceMs;
  while (!(await isReady())) {
    if (child.exitCode === null && performance.now() < deadlineMs) {
      await sleep(50);
      continue;
    }
    const code = await stop();
    throw new Error(`${command} ${args.join(' ')} was not ready, and ended with code ${code}:\n${output}`);
  }
  return { child, output: () => output, stop };
};
