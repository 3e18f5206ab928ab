/** @needs postgresql */
import { chown, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { type DebianPostgres, type DebianServer, openDebianPostgres, until } from '@crm/testing';
import { afterAll, beforeAll, describe, expect, test } from '@jest/globals';
import pg from 'pg';
import { administration } from '../src/administration.js';
import { openAdministrationDatabase } from '../src/administration-database.js';
import { migrate } from '../src/migrate/migrate.js';
import { changeOf } from '@crm/domain';
import { accountCreate } from '../src/write/accounts.js';
import { runWrite } from '../src/write/write.js';

let postgres: DebianPostgres;
let primary: DebianServer;
let url: string;

const databaseOf = (server: DebianServer, name: string): string => server.url.replace(/\/postgres$/, `/${name}`);

const queryAt = async <Row extends pg.QueryResultRow>(address: string, text: string): Promise<Row[]> => {
  const client = new pg.Client({ connectionString: address });
  await client.connect();
  try {
    return (await client.query<Row>(text)).rows;
  } finally {
    await client.end();
  }
};
const logIdAt = async (address: string): Promise<string | undefined> =>
  (await queryAt<{ id: string }>(address, 'SELECT log_id() AS id'))[0]?.id;

const writeAt = async (address: string): Promise<void> => {
  const database = openAdministrationDatabase({ url: address, applicationName: 'log-id-test', maxConnections: 1 });
  try {
    const { id } = await administration(database).createOrganization({ name: 'Log' });
    await runWrite(database, id, accountCreate(changeOf('account', { domain: 'acme.com' }), 'keep'), null, null);
  } finally {
    await database.close();
  }
};

const startCluster = async (name: string): Promise<DebianServer> => {
  await postgres.createCluster(name);
  const server = await postgres.serverOn(name);
  await server.start();
  return server;
};

/** Copies the files of a running server. */
const baseBackup = async (server: DebianServer, name: string, options: readonly string[] = []): Promise<void> => {
  const { hostname, port } = new URL(server.url);
  const from = ['-h', hostname, '-p', port, '-U', 'postgres', '-D', postgres.dataOf(name)];
  await postgres.run('pg_basebackup', [...from, '-X', 'stream', '-c', 'fast', '-N', ...options]);
};

/** Starts a server on a base backup. A recovery begins a new timeline. Otherwise, the server continues the timeline of the backup. */
const startBackup = async (name: string, isRecovery: boolean): Promise<DebianServer> => {
  if (isRecovery) {
    const signal = join(postgres.dataOf(name), 'recovery.signal');
    await writeFile(signal, '');
    if (postgres.user !== null) await chown(signal, postgres.user.uid, postgres.user.gid);
  }
  // There is no archive, so the recovery ends with the WAL of the backup.
  const server = await postgres.serverOn(name, isRecovery ? { restore_command: 'false' } : {});
  await server.start();
  // A server accepts queries before it ends its recovery.
  const isRecovering = async (): Promise<boolean> =>
    (await queryAt<{ is_recovering: boolean }>(server.url, 'SELECT pg_is_in_recovery() AS is_recovering'))[0]
      ?.is_recovering === true;
  await until(async () => !(isRecovery && (await isRecovering())), 50);
  return server;
};

const promote = async (server: DebianServer): Promise<void> => {
  await queryAt(server.url, 'SELECT pg_promote(true, 60)');
};

const dump = async (address: string): Promise<string> => {
  const file = postgres.dataOf('crm.dump');
  await postgres.run('pg_dump', ['--format=custom', `--file=${file}`, address]);
  return file;
};
const restoreInto = async (server: DebianServer, name: string, file: string): Promise<string> => {
  await queryAt(server.url, `CREATE DATABASE ${name} TEMPLATE template0`);
  await postgres.run('pg_restore', [
    '--no-owner',
    '--single-transaction',
    `--dbname=${databaseOf(server, name)}`,
    file,
  ]);
  return databaseOf(server, name);
};

beforeAll(async () => {
  postgres = await openDebianPostgres();
  primary = await startCluster('primary');
  await queryAt(primary.url, 'CREATE DATABASE crm TEMPLATE template0');
  url = databaseOf(primary, 'crm');
  await migrate(url);
  await writeAt(url);
}, 120_000);
afterAll(() => postgres.remove());

describe('log_id', () => {
  test('stays the same after a restart, and is the same on a replica', async () => {
    const before = await logIdAt(url);
    await primary.kill();
    await primary.start();
    await writeAt(url);
    expect(await logIdAt(url)).toBe(before);
    await baseBackup(primary, 'replica', ['-R']);
    const replica = await startBackup('replica', false);
    expect(await logIdAt(databaseOf(replica, 'crm'))).toBe(before);
  });

  test('changes when a dump is restored: into a new database, over the old one, or on another server', async () => {
    const before = await logIdAt(url);
    const file = await dump(url);
    const other = await startCluster('other');
    const restored = [await restoreInto(primary, 'restored', file), await restoreInto(other, 'crm', file)];
    const ids = await Promise.all(restored.map(logIdAt));
    await queryAt(url, 'DROP SCHEMA public CASCADE');
    await queryAt(url, 'CREATE SCHEMA public');
    await postgres.run('pg_restore', ['--no-owner', '--single-transaction', `--dbname=${url}`, file]);
    const all = [before, ...ids, await logIdAt(url)];
    expect(new Set(all).size).toBe(4);
    for (const id of all) expect(id).toMatch(/^[0-9a-f]+-\d+-\d+-1$/);
  });

  test('changes with a promotion, even before the first write on the new timeline', async () => {
    await baseBackup(primary, 'promoted', ['-R']);
    const promoted = await startBackup('promoted', false);
    const before = await logIdAt(databaseOf(promoted, 'crm'));
    expect(before).toBe(await logIdAt(url));
    await promote(promoted);
    const after = await logIdAt(databaseOf(promoted, 'crm'));
    expect(after).not.toBe(before);
    await writeAt(databaseOf(promoted, 'crm'));
    expect(await logIdAt(databaseOf(promoted, 'crm'))).toBe(after);

    // The dump contains the second timeline of another server. The second timeline of this server must get a different id.
    const other = await startCluster('dumped');
    const restored = await restoreInto(other, 'crm', await dump(databaseOf(promoted, 'crm')));
    const first = await logIdAt(restored);
    await writeAt(restored);
    expect(await logIdAt(restored)).toBe(first);
    await baseBackup(other, 'recovered');
    expect(await logIdAt(databaseOf(await startBackup('recovered', true), 'crm'))).not.toBe(first);
  });

  test('changes with a recovery, and not with a copy of the files that starts without a recovery', async () => {
    const before = await logIdAt(url);
    await baseBackup(primary, 'recovery');
    await baseBackup(primary, 'copy');
    expect(await logIdAt(databaseOf(await startBackup('copy', false), 'crm'))).toBe(before);
    const recovered = databaseOf(await startBackup('recovery', true), 'crm');
    const after = await logIdAt(recovered);
    expect(after).not.toBe(before);
    await writeAt(recovered);
    expect(await logIdAt(recovered)).toBe(after);
  });
});
