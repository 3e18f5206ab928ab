import { randomBytes } from 'node:crypto';
import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';

import { startLocalPostgres } from '@crm/local-postgres';

import { readCitusUrl } from './citus.js';
import { openDebianPostgres } from './debian-postgres.js';
import { keepForTeardown, type StartedServer } from './started-server.js';
import { createTestRoles } from './test-roles.js';
import { publishTestServer } from './test-server.js';

/** No test data survives the run, so nothing needs to reach the disk. */
const SETTINGS = {
  fsync: 'off',
  synchronous_commit: 'off',
  full_page_writes: 'off',
  max_connections: '400',
  // Autovacuum is off: it would change statistics, and with them plans, in the middle of a test.
  autovacuum: 'off',
};

async function startEmbedded(): Promise<StartedServer> {
  const folder = await mkdtemp(join(tmpdir(), 'crm-test-'));
  const server = await startLocalPostgres({
    dataDir: join(folder, 'postgres'),
    user: 'postgres',
    password: randomBytes(16).toString('hex'),
    database: 'postgres',
    settings: SETTINGS,
    stopOnExit: true,
  });
  return {
    url: server.url,
    stop: async () => {
      await server.stop();
      await rm(folder, { recursive: true, force: true });
    },
  };
}

async function startDebian(): Promise<StartedServer> {
  const postgres = await openDebianPostgres();
  await postgres.createCluster('tests');
  const server = await postgres.serverOn('tests', SETTINGS);
  await server.start();
  return { url: server.url, stop: () => postgres.remove() };
}

/**
 * Finds the PostgreSQL of a jest run: the coordinator in CITUS_URL, else the server in TEST_DATABASE_URL, else a new
 * one. With CRM_TEST_POSTGRES=debian the new one is from Debian's packages, otherwise it is the embedded one.
 */
async function globalSetup(): Promise<void> {
  const runId = randomBytes(4).toString('hex');
  const existing = readCitusUrl() ?? process.env['TEST_DATABASE_URL'];
  if (existing !== undefined && existing !== '') {
    publishTestServer({ url: existing, runId });
    await createTestRoles();
    return;
  }
  const server = await (process.env['CRM_TEST_POSTGRES'] === 'debian' ? startDebian() : startEmbedded());
  keepForTeardown(server);
  publishTestServer({ url: server.url, runId });
  await createTestRoles();
}

// Jest takes the default export only.
export default globalSetup;
