import { execFile } from 'node:child_process';
import { randomBytes } from 'node:crypto';
import { existsSync } from 'node:fs';
import { chown, mkdtemp, readdir, readFile, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { promisify } from 'node:util';

import { findFreePort } from './gateway/free-port.js';
import { acceptsConnections, type Program, startProgram } from './program.js';

const packagesFolder = '/usr/lib/postgresql';
const runFile = promisify(execFile);

/** The programs of the newest PostgreSQL in Debian's packages. The one from the npm registry lacks `pg_basebackup`. */
const findPrograms = async (): Promise<string> => {
  const versions = await readdir(packagesFolder).catch(() => []);
  const folders = versions.sort((a, b) => Number(b) - Number(a)).map((version) => join(packagesFolder, version, 'bin'));
  const found = folders.find((folder) => existsSync(join(folder, 'pg_basebackup')));
  if (found !== undefined) return found;
  throw new Error(
    `There is no pg_basebackup in ${packagesFolder}/*/bin: apt-get install postgresql-15 ` +
      '(with create_main_cluster = false in /etc/postgresql-common/createcluster.conf)',
  );
};

/** A user of the operating system. */
interface ServiceUser {
  readonly uid: number;
  readonly gid: number;
}

/** The user that runs PostgreSQL and PgBouncer, which refuse root; null for the user of this process. */
export const findServiceUser = async (): Promise<ServiceUser | null> => {
  if (process.getuid?.() !== 0) return null;
  const line = /^postgres:[^:]*:(\d+):(\d+):/m.exec(await readFile('/etc/passwd', 'utf8'));
  if (line === null) throw new Error('PostgreSQL does not run as root, and there is no user postgres');
  return { uid: Number(line[1]), gid: Number(line[2]) };
};

/** A server on one data directory. */
export interface DebianServer {
  readonly url: string;
  start(): Promise<void>;
  /** Ends it at once, as in a power failure. */
  kill(): Promise<void>;
}

/** PostgreSQL of Debian's packages, in a folder whose data need not outlive the test. */
export interface DebianPostgres {
  readonly password: string;
  /** The folder of its programs, such as `pg_basebackup`. */
  readonly programs: string;
  /** The user that owns the data and runs the servers; null for the user of this process. */
  readonly user: ServiceUser | null;
  /** Creates an empty cluster in a folder with this name. */
  createCluster(name: string): Promise<void>;
  /** The folder of a cluster. */
  dataOf(name: string): string;
  /** A server on a cluster, not started yet. */
  serverOn(name: string, settings?: Readonly<Record<string, string>>): Promise<DebianServer>;
  /** Runs a program of the package, such as `pg_basebackup`. */
  run(program: string, args: readonly string[]): Promise<void>;
  /** Ends every server and removes the data. */
  remove(): Promise<void>;
}

/** Finds the programs and creates the folder. @throws Error that says what to install if they are missing */
export const openDebianPostgres = async (): Promise<DebianPostgres> => {
  const programs = await findPrograms();
  const user = await findServiceUser();
  const folder = await mkdtemp(join(tmpdir(), 'crm-debian-'));
  const password = randomBytes(16).toString('hex');
  const passwordFile = join(folder, 'password');
  await writeFile(passwordFile, password, { mode: 0o600 });
  if (user !== null) for (const path of [folder, passwordFile]) await chown(path, user.uid, user.gid);
  const options = { ...user, cwd: '/', env: { PATH: process.env['PATH'], LC_ALL: 'C', PGPASSWORD: password } };
  const servers: DebianServer[] = [];
  const run = async (program: string, args: readonly string[]): Promise<void> => {
    await runFile(join(programs, program), args, options);
  };
  const dataOf = (name: string): string => join(folder, name);
  return {
    password,
    programs,
    user,
    run,
    dataOf,
    createCluster: (name) => {
      const access = ['-U', 'postgres', `--pwfile=${passwordFile}`, '-A', 'scram-sha-256'];
      return run('initdb', ['-D', dataOf(name), ...access, '-E', 'UTF8', '--locale=C', '--no-sync']);
    },
    serverOn: async (name, settings = {}) => {
      const port = await findFreePort();
      const all = { listen_addresses: '127.0.0.1', unix_socket_directories: '', port, fsync: 'off', ...settings };
      const args = Object.entries(all).flatMap(([key, value]) => ['-c', `${key}=${value}`]);
      const url = `postgres://postgres:${password}@127.0.0.1:${port}/postgres`;
      let program: Program | undefined;
      const command = [join(programs, 'postgres'), '-D', dataOf(name), ...args] as const;
      const server: DebianServer = {
        url,
        start: async () => {
          program = await startProgram(command, () => acceptsConnections(url), { ...options, stdio: 'ignore' });
        },
        kill: async () => {
          await program?.stop('SIGQUIT');
        },
      };
      servers.push(server);
      return server;
    },
    remove: async () => {
      await Promise.all(servers.map((server) => server.kill()));
      await rm(folder, { recursive: true, force: true });
    },
  };
};
