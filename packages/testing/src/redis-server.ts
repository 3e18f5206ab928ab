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
}

/** @returns whether it answers a command */
const answers = (port: number): Promise<boolean> =>
  new Promise((resolve) => {
    const socket = connect(port, '127.0.0.1', () => socket.write('PING\r\n'));
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
  };
};
