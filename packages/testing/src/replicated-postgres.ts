import { type ChildProcess, execFile, spawn } from 'node:child_process';
import { randomBytes } from 'node:crypto';
import { once } from 'node:events';
import { existsSync } from 'node:fs';
import { chown, mkdtemp, readdir, readFile, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { promisify } from 'node:util';

import { withAdminClient } from './admin-client.js';
import { findFreePort } from './gateway/free-port.js';

/** A primary and a streaming replica of it, each with a server of its own. */
export interface ReplicatedPostgres {
  readonly primaryUrl: string;
  readonly replicaUrl: string;
  /** Lets the replica apply commits only so long after they happened; 0 follows at once. */
  setDelay(delayMs: number): Promise<void>;
  /** Ends the replica at once, as a power failure would; `startReplica` brings it back. */
  killReplica(): Promise<void>;
  startReplica(): Promise<void>;
  stop(): Promise<void>;
}

const packagesFolder = '/usr/lib/postgresql';
const startTimeoutMs = 60_000;
const startCheckEveryMs = 50;
const run = promisify(execFile);

/** Programs of the newest PostgreSQL from Debian's packages: the one from the npm registry has no `pg_basebackup`. */
const findPrograms = async (): Promise<string> => {
  const versions = await readdir(packagesFolder).catch(() => []);
  const folders = versions.sort((a, b) => Number(b) - Number(a)).map((version) => join(packagesFolder, version, 'bin'));
  const found = folders.find((folder) => existsSync(join(folder, 'pg_basebackup')));
  if (found !== undefined) return found;
  throw new Error(
    `A streaming replica needs pg_basebackup, and there is none in ${packagesFolder}/*/bin: apt-get install postgresql-15 ` +
      '(with create_main_cluster = false in /etc/postgresql-common/createcluster.conf), or run bash .ci/run once as root',
  );
};

/** PostgreSQL refuses root. */
const findUser = async (): Promise<{ uid: number; gid: number } | null> => {
  if (process.getuid?.() !== 0) return null;
  const line = /^postgres:[^:]*:(\d+):(\d+):/m.exec(await readFile('/etc/passwd', 'utf8'));
  if (line === null) throw new Error('PostgreSQL does not run as root, and there is no user postgres');
  return { uid: Number(line[1]), gid: Number(line[2]) };
};

interface Server {
  readonly url: string;
  start(): Promise<void>;
  end(signal: 'SIGQUIT'): Promise<void>;
}

const waitUntilReady = async (url: string, child: ChildProcess): Promise<void> => {
  const deadline = performance.now() + startTimeoutMs;
  for (;;) {
    const failure = await withAdminClient(url, (client) => client.query('SELECT 1')).then(
      () => null,
      (error: unknown) => error,
    );
    if (failure === null) return;
    if (child.exitCode !== null || performance.now() > deadline) {
      throw new Error('PostgreSQL did not start', { cause: failure });
    }
    await new Promise((resolve) => setTimeout(resolve, startCheckEveryMs));
  }
};

interface Programs {
  /** Where the programs are. */
  readonly folder: string;
  /** Whom they run as, where, and with which password. */
  readonly options: {
    readonly uid?: number;
    readonly gid?: number;
    readonly cwd: string;
    readonly env: NodeJS.ProcessEnv;
  };
}

const serverOn = (data: string, port: number, password: string, { folder, options }: Programs): Server => {
  const url = `postgres://postgres:${password}@127.0.0.1:${port}/postgres`;
  const settings = ['listen_addresses=127.0.0.1', 'unix_socket_directories=', `port=${port}`, 'fsync=off'];
  let child: ChildProcess | undefined;
  const end = async (signal: 'SIGQUIT'): Promise<void> => {
    if (child === undefined || child.exitCode !== null || child.signalCode !== null) return;
    const ended = once(child, 'exit');
    child.kill(signal);
    await ended;
  };
  process.once('exit', () => child?.kill('SIGQUIT'));
  return {
    url,
    start: async () => {
      const args = ['-D', data, ...settings.flatMap((setting) => ['-c', setting])];
      child = spawn(join(folder, 'postgres'), args, { ...options, stdio: 'ignore' });
      await waitUntilReady(url, child);
    },
    end,
  };
};

/** Starts a pair whose data need not outlive the test. @throws Error that says what to install when it is missing. */
export const startReplicatedPostgres = async (): Promise<ReplicatedPostgres> => {
  const programs = await findPrograms();
  const user = await findUser();
  const folder = await mkdtemp(join(tmpdir(), 'crm-replicated-'));
  const password = randomBytes(16).toString('hex');
  const passwordFile = join(folder, 'password');
  await writeFile(passwordFile, password, { mode: 0o600 });
  if (user !== null) for (const path of [folder, passwordFile]) await chown(path, user.uid, user.gid);
  const options = { ...user, cwd: '/', env: { PATH: process.env['PATH'], LC_ALL: 'C', PGPASSWORD: password } };
  const dataOf = (name: string): string => join(folder, name);

  const port = await findFreePort();
  const primary = serverOn(dataOf('primary'), port, password, { folder: programs, options });
  const init = ['-D', dataOf('primary'), '-U', 'postgres', `--pwfile=${passwordFile}`, '-A', 'scram-sha-256'];
  await run(join(programs, 'initdb'), [...init, '-E', 'UTF8', '--locale=C', '--no-sync'], options);
  await primary.start();
  const replica = serverOn(dataOf('replica'), await findFreePort(), password, { folder: programs, options });
  const from = ['-h', '127.0.0.1', '-p', String(port), '-U', 'postgres', '-D', dataOf('replica')];
  await run(join(programs, 'pg_basebackup'), [...from, '-R', '-X', 'stream', '-c', 'fast', '-N'], options);
  await replica.start();

  return {
    primaryUrl: primary.url,
    replicaUrl: replica.url,
    setDelay: (delayMs) =>
      withAdminClient(replica.url, async (client) => {
        await client.query(`ALTER SYSTEM SET recovery_min_apply_delay = ${Math.trunc(delayMs)}`);
        await client.query('SELECT pg_reload_conf()');
      }),
    killReplica: () => replica.end('SIGQUIT'),
    startReplica: () => replica.start(),
    stop: async () => {
      await Promise.all([replica.end('SIGQUIT'), primary.end('SIGQUIT')]);
      await rm(folder, { recursive: true, force: true });
    },
  };
};
