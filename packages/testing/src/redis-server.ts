import { spawn, type ChildProcess } from 'node:child_process';
import { existsSync } from 'node:fs';
import { connect } from 'node:net';

import { findFreePort } from './gateway/free-port.js';
import { endProgram, waitForProgram } from './program.js';

const binary = '/usr/bin/redis-server';

/** A separate Redis for one test, without persistence. */
export interface TestRedis {
  readonly url: string;
  /** Starts it (again) on the same port. Resolves once it answers. */
  start(): Promise<void>;
  /** Ends it as in a power failure; its data is lost. */
  kill(): Promise<void>;
  /** Makes it refuse every command that may need memory, as a full Redis does, or accept such commands again. */
  setFull(isFull: boolean): Promise<void>;
  /** Stops it from answering while connections stay open. */
  freeze(): void;
  thaw(): void;
}

/** Sends one command. @returns whether it was answered */
const answers = (port: number, command = 'PING'): Promise<boolean> =>
  new Promise((resolve) => {
    const socket = connect(port, '127.0.0.1', () => socket.write(`${command}\r\n`));
    const end = (isUp: boolean): void => {
      socket.destroy();
      resolve(isUp);
    };
    socket.once('data', () => end(true));
    socket.once('error', () => end(false));
  });

/**
 * Prepares a Redis for one test without starting it.
 * @throws Error that says what to install if it is missing on this machine
 */
export const createTestRedis = async (): Promise<TestRedis> => {
  if (!existsSync(binary)) throw new Error(`${binary} is missing. Install it: apt-get install redis-server`);
  const port = await findFreePort();
  let child: ChildProcess | undefined;
  return {
    url: `redis://127.0.0.1:${port}`,
    start: async () => {
      const args = ['--port', String(port), '--bind', '127.0.0.1', '--save', '', '--appendonly', 'no'];
      child = spawn(binary, args, { stdio: 'ignore' });
      await waitForProgram('redis-server', child, () => answers(port));
    },
    kill: async () => {
      if (child !== undefined) await endProgram(child, 'SIGKILL');
    },
    setFull: async (isFull) => {
      // An empty Redis already uses more than one byte, and 0 would mean no limit.
      if (!(await answers(port, `CONFIG SET maxmemory ${isFull ? 1 : 0}`))) throw new Error('Redis does not answer');
    },
    freeze: () => void child?.kill('SIGSTOP'),
    thaw: () => void child?.kill('SIGCONT'),
  };
};
