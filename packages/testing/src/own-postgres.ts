import { randomBytes } from 'node:crypto';
import { mkdtemp, readFile, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';

import { startLocalPostgres } from '@crm/local-postgres';

import { findFreePort } from './gateway/free-port.js';
import { until } from './until.js';

/** A PostgreSQL for one test file or one run, which may stop and kill it. It ends with this process. */
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

/** Starts a server in a folder of its own. Without settings, it stores data as durably as in production. */
export const startOwnPostgres = async (settings: Readonly<Record<string, string>> = {}): Promise<OwnPostgres> => {
  const folder = await mkdtemp(join(tmpdir(), 'crm-test-'));
  const options = {
    dataDir: join(folder, 'postgres'),
    user: 'postgres',
    password: randomBytes(16).toString('hex'),
    database: 'postgres',
    port: await findFreePort(),
    settings,
    stopOnExit: true,
  };
  let server = await startLocalPostgres(options);
  return {
    url: server.url,
    kill: async () => {
      process.kill(server.pid, 'SIGKILL');
      await until(() => !isAlive(server.pid), 5);
    },
    pause: async () => {
      const pids = [server.pid, ...(await childrenOf(server.pid))];
      const signalAll = (signal: 'SIGSTOP' | 'SIGCONT'): void => {
        for (const each of pids) if (isAlive(each)) process.kill(each, signal);
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
