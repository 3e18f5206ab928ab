import { randomUUID } from 'node:crypto';
import { chown, mkdir, readdir, readFile, rename, rm, writeFile } from 'node:fs/promises';
import { basename, dirname, join } from 'node:path';

import type { Binaries } from './binaries.js';
import { isAlive } from './postmaster.js';
import { runCommand } from './run.js';
import { asServerUser, needsSearchCapability, type ServerUser } from './server-user.js';

/** The major version whose data files the installed programs can read. */
const SERVER_VERSION = '18';

interface ClusterOptions {
  dataDir: string;
  user: string;
  password: string;
  binaries: Binaries;
  serverUser: ServerUser | null;
  /** False skips the flush to disk, for data that need not survive a power failure. */
  durable: boolean;
}

/**
 * Whether the data directory contains a cluster; false if it is absent or empty.
 * @throws if it contains something else, or a cluster of another major version
 */
export async function hasCluster(dataDir: string): Promise<boolean> {
  const version = await readFile(join(dataDir, 'PG_VERSION'), 'utf8').catch((error: unknown) => {
    if ((error as NodeJS.ErrnoException).code === 'ENOENT') return null;
    throw new Error(`cannot read the PostgreSQL data in ${dataDir}: does it belong to another user?`, { cause: error });
  });
  if (version === null) {
    const entries = await readdir(dataDir).catch(() => []);
    if (entries.length === 0) return false;
    throw new Error(`${dataDir} holds files but no PostgreSQL data: choose an empty folder`);
  }
  if (version.trim() === SERVER_VERSION) return true;
  throw new Error(`${dataDir} was made by PostgreSQL ${version.trim()}; this one is ${SERVER_VERSION}: move it away`);
}

/**
 * Creates a cluster (UTF-8, locale C, scram-sha-256). It is built next to the data directory and moved into place when
 * complete, so that neither a crash nor two parallel starts leave half a cluster.
 */
export async function initialiseCluster(options: ClusterOptions): Promise<void> {
  const { dataDir } = options;
  const parent = dirname(dataDir);
  await mkdir(parent, { recursive: true });
  await removeAbandonedWork(parent, basename(dataDir));
  const work = join(parent, `${workPrefix(basename(dataDir))}${process.pid}-${randomUUID()}`);
  ownWork.add(work);
  try {
    await mkdir(work, { mode: 0o700 });
    await runInitdb(options, work);
    await rename(join(work, 'cluster'), dataDir).catch(async (error: unknown) => {
      // Another process was faster. Its cluster is as good as ours.
      if (!(await hasCluster(dataDir))) throw error;
    });
  } finally {
    await rm(work, { recursive: true, force: true });
    ownWork.delete(work);
  }
}

/**
 * The working folders of this process. An ended process may have left folders with the same process id: in a container,
 * the id is often 1 at every start.
 */
const ownWork = new Set<string>();

async function runInitdb(options: ClusterOptions, work: string): Promise<void> {
  const { binaries, serverUser, user, password, durable } = options;
  const passwordFile = join(work, 'password');
  // Only the server's user can read the file. Arguments would be visible to other users.
  await writeFile(passwordFile, `${password}\n`, { mode: 0o600, flag: 'wx' });
  if (serverUser !== null) {
    await chown(passwordFile, serverUser.uid, serverUser.gid);
    await chown(work, serverUser.uid, serverUser.gid);
  }
  const args = [
    `--pgdata=${join(work, 'cluster')}`,
    `--username=${user}`,
    `--pwfile=${passwordFile}`,
    '--auth=scram-sha-256',
    '--encoding=UTF8',
    '--locale=C',
    ...(durable ? [] : ['--no-sync']),
  ];
  const searchCapability = await needsSearchCapability(serverUser, [work, binaries.initdb]);
  await runCommand(
    asServerUser(binaries.initdb, args, { user: serverUser, searchCapability, parentDeathSignal: null }),
  );
}

function workPrefix(name: string): string {
  return `.${name}.initdb-`;
}

async function removeAbandonedWork(parent: string, name: string): Promise<void> {
  for (const entry of await readdir(parent)) {
    if (!entry.startsWith(workPrefix(name))) continue;
    const path = join(parent, entry);
    const pid = Number.parseInt(entry.slice(workPrefix(name).length), 10);
    const isInUse = pid === process.pid ? ownWork.has(path) : isAlive(pid);
    if (!isInUse) await rm(path, { recursive: true, force: true });
  }
}
