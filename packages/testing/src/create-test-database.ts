import { randomBytes } from 'node:crypto';
import { setTimeout as sleep } from 'node:timers/promises';

import type pg from 'pg';

import { databaseUrl, runStatements, withAdminClient } from './admin-client.js';
import { distributeDatabase, joinServers, readCitusUrl, storePasswords, testServerUrls } from './citus.js';
import { testRolePasswords } from './test-roles.js';
import { databasePrefix, readTestServer } from './test-server.js';

/**
 * A locale with another sort order and other letter case rules than code points, so that a statement that lacks a
 * collation fails a test.
 */
const HOSTILE_LOCALE = `LOCALE_PROVIDER icu ICU_LOCALE 'tr-TR'`;

/** A database that belongs to one test file. */
export interface TestDatabase {
  url: string;
  /** Drops it, closing connections that are still open. */
  drop(): Promise<void>;
}

/**
 * Creates a migrated database for one test file. It is a clone of a template that is migrated once per run, because a
 * clone takes a fraction of the time of the migrations. Copied files take less than copied pages, which reach the log.
 * @param migrate migrates the empty database at the address, and closes its connections
 * @param templateName distinguishes templates with other contents: at most 30 lower-case letters, digits and
 * underscores
 */
export async function createTestDatabase(
  migrate: (url: string) => Promise<unknown>,
  templateName: string,
): Promise<TestDatabase> {
  if (!/^[a-z0-9_]{1,30}$/.test(templateName)) throw new Error(`not a template name: ${templateName}`);
  const { url: serverUrl, runId } = readTestServer();
  const template = databasePrefix(runId) + templateName;
  const name = `${databasePrefix(runId)}${randomBytes(8).toString('hex')}`;
  const servers = await testServerUrls(serverUrl);
  await withAdminClient(serverUrl, (client) => ensureTemplate(client, servers, template, migrate));
  await onAll(servers, `CREATE DATABASE ${name} TEMPLATE ${template} STRATEGY FILE_COPY`);
  const drop = async (): Promise<void> => {
    for (const server of servers)
      await withAdminClient(server, async (client) => {
        await untilClosed(client, name);
        await dropDatabase(client, name);
      });
  };
  return { url: databaseUrl(serverUrl, name), drop };
}

/**
 * Waits until a database has no connections, for a second at most. An ended pool closes its connections in the
 * background. A forced drop would end them with an error that nothing handles any more.
 */
async function untilClosed(client: pg.Client, database: string): Promise<void> {
  const text = 'SELECT pid FROM pg_stat_activity WHERE datname = $1';
  for (let attempt = 0; attempt < 100; attempt += 1) {
    if ((await client.query(text, [database])).rowCount === 0) return;
    await sleep(10);
  }
}

/** The server waits five seconds for the sessions that it ends. On a busy machine, they may take longer. */
async function dropDatabase(client: pg.Client, name: string, attempts = 10): Promise<void> {
  try {
    await client.query(`DROP DATABASE IF EXISTS ${name} WITH (FORCE)`);
  } catch (error) {
    if (attempts === 1 || (error as { code?: string }).code !== '55006') throw error;
    await dropDatabase(client, name, attempts - 1);
  }
}

/** Runs statements on every server; with Citus, on the coordinator first. */
async function onAll(servers: readonly string[], ...statements: readonly string[]): Promise<void> {
  for (const server of servers) await runStatements(server, ...statements);
}

async function ensureTemplate(
  client: pg.Client,
  servers: readonly string[],
  template: string,
  migrate: (url: string) => Promise<unknown>,
): Promise<void> {
  // Test files run in several processes: the first one builds the template, the others wait here. Closing the
  // connection also releases the lock.
  await client.query('SELECT pg_advisory_lock(hashtextextended($1, 0))', [template]);
  const found = await client.query('SELECT 1 FROM pg_database WHERE datname = $1', [template]);
  if (found.rowCount === 0) {
    const unfinished = `${template}_new`;
    await onAll(
      servers,
      `DROP DATABASE IF EXISTS ${unfinished} WITH (FORCE)`,
      `CREATE DATABASE ${unfinished} TEMPLATE template0 ${HOSTILE_LOCALE}`,
    );
    const [first = ''] = servers;
    const url = databaseUrl(first, unfinished);
    if (readCitusUrl() !== null) await joinServers(first, unfinished);
    await storePasswords(url, testRolePasswords());
    await migrate(url);
    if (readCitusUrl() !== null) await distributeDatabase(url);
    // A template with open connections cannot be cloned, and Citus stays connected. The coordinator comes last, because
    // the existence of its template means that all templates are complete.
    await onAll(
      [...servers].reverse(),
      `ALTER DATABASE ${unfinished} ALLOW_CONNECTIONS false`,
      `SELECT pg_terminate_backend(pid, 10000) FROM pg_stat_activity WHERE datname = '${unfinished}'`,
      `ALTER DATABASE ${unfinished} RENAME TO ${template}`,
    );
  }
  await client.query('SELECT pg_advisory_unlock(hashtextextended($1, 0))', [template]);
}
