import { readFile } from 'node:fs/promises';

import { findFreePort } from './gateway/free-port.js';
import { startThrowawayPostgres } from './throwaway-postgres.js';

/** A PostgreSQL for one test file, which may stop and kill it. It stores data as durably as in production. */
export interface OwnPostgres {
  /** The same address after every start. */
  readonly url: string;
  /** Ends it like `kill -9` and waits until it is gone. */
  kill(): Promise<void>;
  /** Suspends all its processes, as on an overloaded machine; on Linux only. @returns a function that resumes them */
  pause(): Promise<() => void>;
  /** Stops it as an administrator does: rolls back running transactions and closes connections. */
  shutDown(): Promise<void>;
  /** Starts it again, with recovery if needed. Resolves when it accepts connections. */
  start(): Promise<void>;
  /** Stops it and removes its data. */
  stop(): Promise<void>;
}

const goneCheckEveryMs = 5;

const isAlive = (pid: number): boolean => {
  try {
    process.kill(pid, 0);
    return true;
  } catch {
    return false;
  }
};

const childrenOf = async (pid: number): Promise<number[]> =>
  (await readFile(`/proc/${pid}/task/${pid}/children`, 'utf8')).split(' ').filter(Boolean).map(Number);

/** Starts a server with PostgreSQL's own settings for durability. */
export const startOwnPostgres = async (): Promise<OwnPostgres> => {
  const server = await startThrowawayPostgres({ port: await findFreePort() });
  return {
    url: server.current().url,
    kill: async () => {
      const { pid } = server.current();
      process.kill(pid, 'SIGKILL');
      while (isAlive(pid)) await new Promise((resolve) => setTimeout(resolve, goneCheckEveryMs));
    },
    pause: async () => {
      const { pid } = server.current();
      const pids = [pid, ...(await childrenOf(pid))];
      const signalAll = (signal: 'SIGSTOP' | 'SIGCONT'): void => {
        for (const each of pids) if (isAlive(each)) process.kill(each, signal);
      };
      signalAll('SIGSTOP');
      return () => signalAll('SIGCONT');
    },
    shutDown: () => server.current().stop(),
    start: () => server.start(),
    stop: () => server.stop(),
  };
};
