import { connect } from 'node:net';

import { findFreePort } from './gateway/free-port.js';
import { type Program, startProgram } from './program.js';

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

/** Prepares a Redis for one test without starting it. */
export const createTestRedis = async (): Promise<TestRedis> => {
  const port = await findFreePort();
  let program: Program | undefined;
  return {
    url: `redis://127.0.0.1:${port}`,
    start: async () => {
      const args = ['--port', String(port), '--bind', '127.0.0.1', '--save', '', '--appendonly', 'no'];
      program = await startProgram(['/usr/bin/redis-server', ...args], () => answers(port));
    },
    kill: async () => {
      await program?.stop('SIGKILL');
    },
  };
};
