import { randomBytes } from 'node:crypto';
import { mkdtemp, readFile, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';

import { type LocalPostgres, startLocalPostgres } from '@crm/local-postgres';

import { findFreePort } from './gateway/free-port.js';

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
  const folder = await mkdtemp(join(tmpdir(), 'crm-own-'));
  const options = {
    dataDir: join(folder, 'postgres'),
    port: await findFreePort(),
    user: 'postgres',
    password: randomBytes(16).toString('hex'),
    database: 'postgres',
    stopOnExit: true,
  };
  let server: LocalPostgres = await startLocalPostgres(options);
  return {
    url: server.url,
    kill: async () => {
      process.kill(server.pid, 'SIGKILL');
      while (isAlive(server.pid)) await new Promise((resolve) => setTimeout(resolve, goneCheckEveryMs));
    },
    pause: async () => {
      const pids = [server.pid, ...(await childrenOf(server.pid))];
      const signalAll = (signal: 'SIGSTOP' | 'SIGCONT'): void => {
        for (const pid of pids) if (isAlive(pid)) process.kill(pid, signal);
      };
      signalAll('SIGSTOP');
      return () => signalAll('SIGCONT');
    },
    shutDown: () => server.stop(),
    start: async () => {
      server = await startLocalPostgres(options);
    },
    stop: async () => {
      await server.stop();
      await rm(folder, { recursive: true, force: true });
    },
  };
};
