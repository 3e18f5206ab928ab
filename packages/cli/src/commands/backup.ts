import { execFile } from 'node:child_process';
import { access, rename, rm, writeFile } from 'node:fs/promises';
import { promisify } from 'node:util';

import { type AdministrationDatabase, encodingProblem, migrate, openAdministrationDatabase } from '@crm/db';

import { databaseCommand, shownDatabase } from '../administration/session.js';
import { CliError, errorCode, errorText, usageError } from '../errors.js';
import { privateMode } from '../private-mode.js';

const run = promisify(execFile);
const withoutDump = 'To back up the local stack without it, stop crm start and copy its data directory.';

/** The folders of a major version on Debian, Red Hat and macOS, then PATH. */
const programsOf = (name: string, major: number): readonly string[] => [
  ...['/usr/lib/postgresql/', '/usr/pgsql-', '/opt/homebrew/opt/postgresql@', '/usr/local/opt/postgresql@'].map(
    (folder) => `${folder}${major}/bin/${name}`,
  ),
  name,
];

/**
 * Finds the program of PostgreSQL for a server of a major version: the first that fits.
 * @throws CliError that says what to install
 */
const findProgram = async (
  name: 'pg_dump' | 'pg_restore',
  major: number,
  fits: (program: string) => Promise<boolean>,
): Promise<string> => {
  let refusal = '';
  for (const program of programsOf(name, major)) {
    try {
      if (await fits(program)) return program;
    } catch (error) {
      if (errorCode(error) !== 'ENOENT') refusal = errorText(error);
    }
  }
  // The file is damaged. An older program refuses a newer file as an "unsupported version".
  if (/pg_restore: error: (?!unsupported)/.test(refusal)) throw new CliError(refusal);
  throw new CliError(
    `The server is PostgreSQL ${major}, and there is no ${name} for it. Install one of these:
  Debian, Ubuntu   postgresql-client-${major} from https://apt.postgresql.org
  Red Hat          postgresql${major} from https://yum.postgresql.org
  macOS            brew install postgresql@${major}${name === 'pg_dump' ? `\n${withoutDump}` : ''}`,
  );
};

/** Runs a program of PostgreSQL. The password is not in the list of processes. */
const runProgram = async (
  program: string,
  args: readonly string[],
  url: string,
  signal: AbortSignal,
): Promise<void> => {
  const address = new URL(url);
  const password = decodeURIComponent(address.password);
  address.password = '';
  address.searchParams.delete('pgbouncer');
  const env = { ...process.env, ...(password !== '' && { PGPASSWORD: password }) };
  await run(program, [...args, '--dbname', address.href], { env, signal }).catch((error: unknown) => {
    throw new CliError(errorText(error));
  });
};

const onServer = async <T>(url: string, work: (pool: AdministrationDatabase['pool']) => Promise<T>): Promise<T> => {
  const options = { applicationName: 'crm-cli', maxConnections: 1, statementTimeoutMs: 0 };
  const database = openAdministrationDatabase({ url, ...options });
  try {
    return await work(database.pool);
  } finally {
    await database.close();
  }
};

/** A server and one of its databases. */
interface Inspected {
  /** The major version. */
  readonly major: number;
  readonly tables: number;
  readonly encoding: string;
}

const inspect = (url: string): Promise<Inspected> =>
  onServer(url, async (pool) => {
    const { rows } = await pool.query<Inspected>(
      `SELECT current_setting('server_version_num')::int / 10000 AS major, current_setting('server_encoding') AS encoding,
              (SELECT count(*)::int FROM pg_tables WHERE schemaname = 'public') AS tables`,
    );
    return rows[0] ?? { major: 0, tables: 0, encoding: '' };
  });

/** Adds `crm backup`. */
export const addBackupCommand = databaseCommand({
  name: 'backup',
  description: 'dump the database to a file with pg_dump, while the gateways run',
  help: '\nExample:\n  $ crm backup crm.dump\n\nNext: crm restore-backup --help',
  define: (command) => command.argument('<file>', 'the file to write'),
  run: async ({ url, context }, _options, file: string) => {
    const signal = context.onInterrupt();
    const { major } = await inspect(url);
    const fits = async (candidate: string) =>
      Number(/\d+/.exec((await run(candidate, ['--version'])).stdout)?.[0]) >= major;
    const pgDump = await findProgram('pg_dump', major, fits);
    const unfinished = `${file}.unfinished`;
    // Created here, because pg_dump would let others read it.
    await rm(unfinished, { force: true });
    await writeFile(unfinished, '', { mode: privateMode, flag: 'wx' });
    await runProgram(pgDump, ['--format=custom', `--file=${unfinished}`], url, signal);
    // An earlier dump with this name stays until the new one is complete.
    await rename(unfinished, file);
    return { json: { file }, text: `The database ${shownDatabase(url)} is in ${file}.` };
  },
});

/** The address of the database that every server has. */
const maintenanceUrl = (url: string): string => {
  const server = new URL(url);
  server.pathname = '/postgres';
  return server.href;
};

/** The database to restore into, or null if it does not exist yet. */
const findTarget = async (url: string): Promise<Inspected | null> => {
  try {
    return await inspect(url);
  } catch (error) {
    if (errorCode(error) !== '3D000') throw error;
    return null;
  }
};

const createDatabase = async (url: string): Promise<void> => {
  const name = decodeURIComponent(new URL(url).pathname.slice(1));
  const sql = `CREATE DATABASE "${name.replaceAll('"', '""')}" TEMPLATE template0 ENCODING 'UTF8'`;
  await onServer(maintenanceUrl(url), (pool) => pool.query(sql));
};

/**
 * Finds the program that can restore a file, and looks at what the file contains.
 * @throws CliError if it is no backup of this product
 */
const findRestore = async (file: string, major: number): Promise<string> => {
  let contents = '';
  // An older program cannot read the file of a newer one.
  const pgRestore = await findProgram('pg_restore', major, async (candidate) => {
    contents = (await run(candidate, ['--list', file], { maxBuffer: 64 * 1024 * 1024 })).stdout;
    return contents !== '';
  });
  if (/ TABLE public organizations /.test(contents)) return pgRestore;
  throw usageError(`${file} is not a backup of this product: it has no table of organizations.`);
};

/** Adds `crm restore-backup`. */
export const addRestoreBackupCommand = databaseCommand({
  name: 'restore-backup',
  description: 'restore a file of crm backup into a new database',
  help: `
Creates the database, restores the file, collects statistics and migrates to this version. The server must have the major version
of the old one or a newer one. A role that is no superuser needs CREATEDB, or must own the empty database.

Example:
  $ crm restore-backup crm.dump --database-url postgres://owner:secret@db.example.com:5432/crm_restored`,
  define: (command) => command.argument('<file>', 'the file'),
  run: async ({ url, context }, _options, file: string) => {
    const signal = context.onInterrupt();
    await access(file).catch(() => {
      throw usageError(`There is no file ${file}.`);
    });
    const target = await findTarget(url);
    const { major } = target ?? (await inspect(maintenanceUrl(url)));
    if (target !== null && target.tables > 0) {
      throw usageError(`${shownDatabase(url)} has tables. Give --database-url with a new name.`);
    }
    const problem = encodingProblem(target?.encoding ?? 'UTF8');
    if (problem !== null) throw usageError(`${problem}.`);
    const pgRestore = await findRestore(file, major);
    if (target === null) await createDatabase(url);
    await runProgram(pgRestore, ['--no-owner', '--no-privileges', '--single-transaction', file], url, signal);
    await onServer(url, (pool) => pool.query('ANALYZE'));
    await migrate(url);
    const text = `${file} is restored into ${shownDatabase(url)}.\nNext: crm roles apply, then set DATABASE_URL of the gateways`;
    return { json: { file }, text };
  },
});
