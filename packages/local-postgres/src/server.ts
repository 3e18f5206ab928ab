import type { ChildProcess } from 'node:child_process';
import { chown, open, readFile, rename } from 'node:fs/promises';
import { join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';

import type { Binaries } from './binaries.js';
import { HOST } from './ports.js';
import { findRunningPostmaster, isAlive, readPostmaster, type Postmaster } from './postmaster.js';
import { spawnCommand } from './run.js';
import { asServerUser, needsSearchCapability, type ServerUser } from './server-user.js';

const POLL_INTERVAL_MS = 20;
/** Recovery after a crash replays the write-ahead log. After a large import, this can take long. */
const READY_TIMEOUT_MS = 120_000;
const STOP_TIMEOUT_MS = 60_000;

export interface ServerOptions {
  dataDir: string;
  port: number;
  binaries: Binaries;
  serverUser: ServerUser | null;
  settings: Readonly<Record<string, string>>;
  stopOnExit: boolean;
}

/** The server ended before it was ready, or was not ready in time. The message contains the end of its log. */
export class ServerStartError extends Error {
  override readonly name = 'ServerStartError';
}

/** Starts the server and waits until it is ready. @throws {ServerStartError} */
export async function startServer(options: ServerOptions): Promise<Postmaster> {
  const { dataDir, binaries, serverUser, stopOnExit } = options;
  const searchCapability = await needsSearchCapability(serverUser, [dataDir, binaries.postgres]);
  const command = asServerUser(binaries.postgres, serverArguments(options), {
    user: serverUser,
    searchCapability,
    parentDeathSignal: stopOnExit ? 'INT' : null,
  });
  const logFile = join(dataDir, LOG_NAME);
  // Keeps the log of one earlier run only, which limits the size of the logs. The server writes to a file, not a pipe,
  // because it may outlive this process.
  await rename(logFile, `${logFile}.1`).catch(() => undefined);
  const log = await open(logFile, 'a', 0o600);
  try {
    if (serverUser !== null) await chown(logFile, serverUser.uid, serverUser.gid);
    const child = spawnCommand(command, ['ignore', log.fd, log.fd]);
    // The server must not keep this process alive.
    child.unref();
    return await waitUntilReady(dataDir, child);
  } finally {
    await log.close();
  }
}

const LOG_NAME = 'postgres.log';

function serverArguments({ dataDir, port, settings }: ServerOptions): string[] {
  const all: Record<string, string> = {
    listen_addresses: HOST,
    port: String(port),
    // No Unix socket: TCP is enough, and the path of a socket in a deep data directory could exceed its length limit.
    unix_socket_directories: '',
    timezone: 'UTC',
    log_timezone: 'UTC',
    ...settings,
  };
  return ['-D', dataDir, ...Object.entries(all).flatMap(([name, value]) => ['-c', `${name}=${value}`])];
}

async function waitUntilReady(dataDir: string, child: ChildProcess): Promise<Postmaster> {
  const failures: Error[] = [];
  child.once('error', (error) => failures.push(error));
  const deadline = Date.now() + READY_TIMEOUT_MS;
  while (Date.now() < deadline) {
    const found = await readPostmaster(dataDir);
    if (found?.pid === child.pid && found?.ready === true) return found;
    if (failures.length > 0 || child.exitCode !== null || child.signalCode !== null) {
      throw new ServerStartError(await explainFailure(dataDir), { cause: failures[0] });
    }
    await sleep(POLL_INTERVAL_MS);
  }
  child.kill('SIGQUIT');
  throw new ServerStartError(
    `PostgreSQL was not ready after ${READY_TIMEOUT_MS / 1000} s. ${await explainFailure(dataDir)}`,
  );
}

async function explainFailure(dataDir: string): Promise<string> {
  const log = await readFile(join(dataDir, LOG_NAME), 'utf8').catch(() => '');
  return `PostgreSQL did not start:\n${log.trim().split('\n').slice(-10).join('\n')}`;
}

/**
 * Waits until a server that another process started is ready. Returns null if no server runs, or if the server ends
 * before that.
 * @throws if the server is not ready in time
 */
export async function waitForRunningServer(dataDir: string): Promise<Postmaster | null> {
  const deadline = Date.now() + READY_TIMEOUT_MS;
  while (Date.now() < deadline) {
    const found = await findRunningPostmaster(dataDir);
    if (found === null || found.ready) return found;
    await sleep(POLL_INTERVAL_MS);
  }
  throw new Error(`the PostgreSQL that runs on ${dataDir} does not get ready`);
}

/** Stops a server in its fast mode (open transactions roll back) and waits until it is gone. */
export async function stopServer(dataDir: string, pid: number): Promise<void> {
  for (const signal of ['SIGINT', 'SIGQUIT'] as const) {
    if ((await findRunningPostmaster(dataDir))?.pid !== pid) return;
    process.kill(pid, signal);
    const deadline = Date.now() + STOP_TIMEOUT_MS;
    while (isAlive(pid) && Date.now() < deadline) await sleep(POLL_INTERVAL_MS);
  }
  if (isAlive(pid)) throw new Error(`PostgreSQL (process ${pid}) does not stop`);
}
