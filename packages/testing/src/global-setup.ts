import { randomBytes } from 'node:crypto';
import { mkdtemp } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';

import { startLocalPostgres } from '@crm/local-postgres';

import { keepForTeardown } from './started-server.js';
import { publishTestServer } from './test-server.js';

/** Nothing of a test's data survives the run, so nothing needs to reach the disk. */
const SETTINGS = {
  fsync: 'off',
  synchronous_commit: 'off',
  full_page_writes: 'off',
  max_connections: '400',
  // Plans depend on statistics, which would otherwise change at any moment of a test.
  autovacuum: 'off',
};

/** Gives a jest run one PostgreSQL: the server that TEST_DATABASE_URL names, else one of its own. */
async function globalSetup(): Promise<void> {
  const runId = randomBytes(4).toString('hex');
  const existing = process.env['TEST_DATABASE_URL'];
  if (existing !== undefined && existing !== '') {
    publishTestServer({ url: existing, runId });
    return;
  }
  const folder = await mkdtemp(join(tmpdir(), 'crm-test-'));
  const server = await startLocalPostgres({
    dataDir: join(folder, 'postgres'),
    user: 'postgres',
    password: randomBytes(16).toString('hex'),
    database: 'postgres',
    settings: SETTINGS,
    stopOnExit: true,
  });
  keepForTeardown({ server, folder });
  publishTestServer({ url: server.url, runId });
}

// Jest takes the default export only.
export default globalSetup;
