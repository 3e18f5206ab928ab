import { resolve } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';

import { locateBinaries } from './binaries.js';
import { hasCluster, initialiseCluster } from './cluster.js';
import { databaseUrl, ensureDatabase } from './database.js';
import { findFreePort } from './ports.js';
import { disownStalePidFile, isAlive, type Postmaster } from './postmaster.js';
import { startServer, ServerStartError, stopServer, waitForRunningServer } from './server.js';
import { chooseServerUser } from './server-user.js';

export interface LocalPostgresOptions {
  /** The data directory of the cluster; created if absent. Only one server can run on it at a time. */
  dataDir: string;
  /** The port of a new server on 127.0.0.1; by default a free one. */
  port?: number;
  user: string;
  /** Set when the cluster is created. Every later start needs the same password. */
  password: string;
  /** Created if absent. */
  database: string;
  /** Receives progress messages, one short sentence at a time. */
  log?: (message: string) => void;
  /** Server settings, such as `{ fsync: 'off' }`; they win over this package's own. */
  settings?: Readonly<Record<string, string>>;
  /**
   * Stop the server when this process ends; on Linux with setpriv, also when it is killed. Default false: the server
   * outlives this process.
   */
  stopOnExit?: boolean;
}

export interface LocalPostgres {
  url: string;
  port: number;
  pid: number;
  /** True if the server already ran. Its settings may then differ from the requested `settings`. */
  adopted: boolean;
  /** Stops the server and waits for its end, even if it was adopted. Safe to call twice. */
  stop(): Promise<void>;
}

/**
 * Starts PostgreSQL on a data directory, or adopts the server that already runs there (its parent may have been killed).
 * @throws if the data directory is unusable, the password is wrong or the server does not start; the message has the reason.
 */
export async function startLocalPostgres(options: LocalPostgresOptions): Promise<LocalPostgres> {
  if (process.platform === 'win32') throw new Error('the local PostgreSQL needs Linux or macOS');
  const dataDir = resolve(options.dataDir);
  const { user, password, database, stopOnExit = false } = options;
  const running = await waitForRunningServer(dataDir);
  if (running !== null) options.log?.(`PostgreSQL already runs on port ${running.port}`);
  const { server, adopted } =
    running === null ? await startWithRetries(dataDir, options) : { server: running, adopted: true };
  const exitHook = (): void => {
    // The data directory is not checked again, because an exit handler cannot wait.
    try {
      process.kill(server.pid, 'SIGINT');
    } catch {
      // It has already ended.
    }
  };
  const stop = async (): Promise<void> => {
    process.removeListener('exit', exitHook);
    await stopServer(dataDir, server.pid);
  };
  if (stopOnExit) process.once('exit', exitHook);
  try {
    await ensureDatabase({ port: server.port, user, password, database });
  } catch (error) {
    if (!adopted) await stop();
    process.removeListener('exit', exitHook);
    // The server was killed just before the adoption, but its process had not ended yet.
    if (adopted && (await endsSoon(server.pid))) return startLocalPostgres(options);
    throw error;
  }
  const url = databaseUrl({ port: server.port, user, password, database });
  return { url, port: server.port, pid: server.pid, adopted, stop };
}

const END_TIMEOUT_MS = 1000;
const END_POLL_MS = 20;

async function endsSoon(pid: number): Promise<boolean> {
  for (let waitedMs = 0; isAlive(pid) && waitedMs < END_TIMEOUT_MS; waitedMs += END_POLL_MS) await sleep(END_POLL_MS);
  return !isAlive(pid);
}

const MAX_STARTS = 20;
const RETRY_DELAY_MS = 250;

interface Started {
  server: Postmaster;
  adopted: boolean;
}

async function startWithRetries(dataDir: string, options: LocalPostgresOptions): Promise<Started> {
  const { user, password, log, settings = {}, stopOnExit = false } = options;
  const [binaries, serverUser] = await Promise.all([locateBinaries(), chooseServerUser(dataDir)]);
  if (!(await hasCluster(dataDir))) {
    log?.(`Preparing PostgreSQL in ${dataDir}`);
    const durable = settings['fsync'] !== 'off';
    await initialiseCluster({ dataDir, user, password, binaries, serverUser, durable });
  }
  log?.('Starting PostgreSQL');
  for (let attempt = 1; ; attempt++) {
    await disownStalePidFile(dataDir);
    const port = options.port ?? (await findFreePort());
    try {
      const server = await startServer({ dataDir, port, binaries, serverUser, settings, stopOnExit });
      return { server, adopted: false };
    } catch (error) {
      if (!(error instanceof ServerStartError)) throw error;
      const faster = await waitForRunningServer(dataDir);
      if (faster !== null) return { server: faster, adopted: true };
      if (attempt === MAX_STARTS || !PASSING_FAILURE.test(error.message)) throw error;
      await sleep(RETRY_DELAY_MS);
    }
  }
}

/**
 * Messages of failures after which a start is retried. The workers of a killed server take a moment to end, and another
 * program may take the chosen port before the server does.
 */
const PASSING_FAILURE = /pre-existing shared memory block|lock file "postmaster.pid"|Address already in use/;
