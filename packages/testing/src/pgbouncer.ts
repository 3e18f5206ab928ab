import { execFileSync } from 'node:child_process';
import { chown, mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';

import { findServiceUser } from './debian-postgres.js';
import { findFreePort } from './gateway/free-port.js';
import { acceptsConnections, startProgram } from './program.js';

const binary = '/usr/sbin/pgbouncer';

/** A pooler in front of one database. */
export interface PgBouncer {
  /** The database's address through the pooler, with `?pgbouncer=true`. */
  readonly url: string;
  stop(): Promise<void>;
}

/** PgBouncer translates the names of prepared statements since version 1.21. */
const translatesFromMinor = 21;

/** Whether the installed PgBouncer can translate prepared statements: Debian 12 has 1.18, which cannot. */
export const pgBouncerTranslates = (): boolean => {
  const stdout = execFileSync(binary, ['--version'], { encoding: 'utf8' });
  const [, major, minor] = /(\d+)\.(\d+)/.exec(stdout) ?? [];
  return Number(major) > 1 || Number(minor) >= translatesFromMinor;
};

/** Starts Debian's PgBouncer. @param databaseUrl - with user and password */
export const startPgBouncer = async (databaseUrl: string, poolMode: 'session' | 'transaction'): Promise<PgBouncer> => {
  const user = await findServiceUser();
  const folder = await mkdtemp(join(tmpdir(), 'crm-pgbouncer-'));
  const port = await findFreePort();
  const target = new URL(databaseUrl);
  const files = {
    'users.txt': `"${target.username}" "${target.password}"\n`,
    'pgbouncer.ini': [
      '[databases]',
      `* = host=${target.hostname} port=${target.port}`,
      '[pgbouncer]',
      'listen_addr = 127.0.0.1',
      `listen_port = ${port}`,
      'unix_socket_dir =',
      'auth_type = trust',
      `auth_file = ${join(folder, 'users.txt')}`,
      `pool_mode = ${poolMode}`,
      // In session mode, every connection of a gateway holds a server connection.
      `default_pool_size = ${poolMode === 'session' ? 20 : 5}`,
      ...(pgBouncerTranslates() ? ['max_prepared_statements = 100'] : []),
      '',
    ].join('\n'),
  };
  for (const [name, text] of Object.entries(files)) await writeFile(join(folder, name), text);
  if (user !== null)
    for (const name of ['', ...Object.keys(files)]) await chown(join(folder, name), user.uid, user.gid);
  target.port = String(port);
  target.searchParams.set('pgbouncer', 'true');
  const command = [binary, '--quiet', join(folder, 'pgbouncer.ini')] as const;
  const program = await startProgram(command, () => acceptsConnections(target.href), { ...user, cwd: '/' });
  return {
    url: target.href,
    stop: async () => {
      await program.stop('SIGKILL');
      await rm(folder, { recursive: true, force: true });
    },
  };
};
