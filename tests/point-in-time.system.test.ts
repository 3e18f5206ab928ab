/** @needs postgresql */
import { readFileSync } from 'node:fs';
import { fileURLToPath } from 'node:url';

import { migrate, openAdministrationDatabase } from '@crm/db';
import { findFreePort, openDebianPostgres, reportFigure, type DebianPostgres, type DebianServer } from '@crm/testing';
import { afterAll, beforeAll, describe, expect, test } from '@jest/globals';

import { runCrm } from './support/run-crm.js';
import { BashSession } from './support/bash-session.js';
import { readShellExamples } from './support/shell-examples.js';

const page = readFileSync(fileURLToPath(new URL('../docs/operating.md', import.meta.url)), 'utf8');
const section = /^## Point-in-time recovery\n[^]*?(?=^## )/m.exec(page)?.[0] ?? '';
const [archive, backUp, archiveLast, recover] = readShellExamples(section).map(({ commands }) => commands);

const databaseOf = (serverUrl: string): string => serverUrl.replace(/\/postgres$/, '/crm');

describe('the point-in-time recovery of docs/operating.md', () => {
  let postgres: DebianPostgres;
  let primary: DebianServer;
  let session: BashSession;
  let restoredUrl: string;

  beforeAll(async () => {
    postgres = await openDebianPostgres();
    await postgres.createCluster('primary');
    primary = await postgres.serverOn('primary');
    await primary.start();
    const restoredPort = await findFreePort();
    restoredUrl = primary.url.replace(/:\d+\/postgres$/, `:${restoredPort}/postgres`);
    const environment = {
      PATH: `${postgres.programs}:${process.env['PATH'] ?? ''}`,
      SERVER_URL: primary.url,
      RESTORED_URL: restoredUrl,
      RESTORED_PORT: String(restoredPort),
      ARCHIVE: postgres.dataOf('archive'),
      BACKUPS: postgres.dataOf('backups'),
      BACKUP: 'monday',
      RESTORED: postgres.dataOf('restored'),
    };
    session = new BashSession('/', environment, postgres.user);
    await run('psql --quiet --command="CREATE DATABASE crm" "$SERVER_URL"');
    await migrate(databaseOf(primary.url));
  });
  afterAll(async () => {
    await session.run('pg_ctl stop --silent --mode=immediate --pgdata="$RESTORED" || true');
    session.end();
    await postgres.remove();
  });

  const run = async (commands: string | undefined): Promise<string> => {
    const { exitCode, stdout, stderr } = await session.run(commands ?? 'false');
    expect({ exitCode, stderr }).toMatchObject({ exitCode: 0 });
    return stdout;
  };
  const createOrganization = async (name: string): Promise<void> => {
    const { exitCode } = await runCrm(['org', 'create', name], { DATABASE_URL: databaseOf(primary.url) });
    expect(exitCode).toBe(0);
  };
  const organizationsAt = async (serverUrl: string): Promise<string[]> => {
    const { pool, close } = openAdministrationDatabase({
      url: databaseOf(serverUrl),
      applicationName: 'test',
      maxConnections: 1,
    });
    const { rows } = await pool.query<{ name: string }>('SELECT name FROM organizations ORDER BY created_at');
    await close();
    return rows.map(({ name }) => name);
  };

  test('R29: restores the writes after the base backup, up to the second before the accident', async () => {
    await createOrganization('Before the base backup');
    await run(archive);
    await primary.kill();
    await primary.start();
    await run(backUp);
    await createOrganization('After the base backup');
    const time = (await run('psql -At --command="SELECT clock_timestamp()" "$SERVER_URL"')).trim();
    await createOrganization('The accident');
    await run(archiveLast);
    await run(`TARGET_TIME='${time}'\n${recover ?? 'false'}`);
    const kept = ['Before the base backup', 'After the base backup'];
    const found = await organizationsAt(restoredUrl);
    reportFigure('R29', 'organizations that differ after a recovery to a point in time', differences(found, kept), 0);
    expect(found).toEqual(kept);
  });

  test('restores a PostgreSQL 15 server that accepts writes, migrations and roles', async () => {
    const env = { DATABASE_URL: databaseOf(restoredUrl) };
    for (const command of [
      ['migrate'],
      ['org', 'create', 'After the recovery'],
      ['roles', 'apply'],
      ['roles', 'apply'],
    ])
      expect(await runCrm(command, env)).toMatchObject({ exitCode: 0, stderr: '' });
    expect(await organizationsAt(restoredUrl)).toHaveLength(3);
  });
});

const differences = (one: readonly string[], other: readonly string[]): number =>
  one.filter((name) => !other.includes(name)).length + other.filter((name) => !one.includes(name)).length;
