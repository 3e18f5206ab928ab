import { execFile } from 'node:child_process';
import { access, rename } from 'node:fs/promises';
import { promisify } from 'node:util';

import { type AdministrationDatabase, migrate, openAdministrationDatabase } from '@crm/db';

import { databaseCommand, shownDatabase } from '../administration/session.js';
import { CliError, errorCode, errorText, usageError } from '../errors.js';

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

/** The major version of a server, and the number of tables in a database. */
const inspect = (url: string): Promise<{ readonly major: number; readonly tables: number }> =>
  onServer(url, async (pool) => {
    const { rows } = await pool.query<{ major: number; tables: number }>(
      `SELECT current_setting('server_version_num')::int / 10000 AS major,
              (SELECT count(*)::int FROM pg_tables WHERE schemaname = 'public') AS tables`,
    );
    return rows[0] ?? { major: 0, tables: 0 };
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
    await runProgram(pgDump, ['--format=custom', `--file=${unfinished}`], url, signal);
    // An earlier dump with this name stays until the new one is complete.
    await rename(unfinished, file);
    return { json: { file }, text: `The database ${shownDatabase(url)} is in ${file}.` };
  },
});

/** Creates the database if there is none. */
const createDatabase = async (url: string): Promise<void> => {
  const server = new URL(url);
  const name = decodeURIComponent(server.pathname.slice(1));
  server.pathname = '/postgres';
  try {
    await inspect(url);
  } catch (error) {
    if (errorCode(error) !== '3D000') throw error;
    const sql = `CREATE DATABASE "${name.replaceAll('"', '""')}" TEMPLATE template0 ENCODING 'UTF8'`;
    await onServer(server.href, (pool) => pool.query(sql));
  }
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
    await createDatabase(url);
    const { major, tables } = await inspect(url);
    if (tables > 0) throw usageError(`${shownDatabase(url)} has tables. Give --database-url with a new name.`);
    // An older program cannot read the file of a newer one.
    const fits = async (candidate: string) => (await run(candidate, ['--list', file])).stdout !== '';
    const pgRestore = await findProgram('pg_restore', major, fits);
    await runProgram(pgRestore, ['--no-owner', '--no-privileges', '--single-transaction', file], url, signal);
    await onServer(url, (pool) => pool.query('ANALYZE'));
    await migrate(url);
    const text = `${file} is restored into ${shownDatabase(url)}.\nNext: crm roles apply, then set DATABASE_URL of the gateways`;
    return { json: { file }, text };
  },
});
