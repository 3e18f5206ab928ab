import { randomBytes } from 'node:crypto';

import { withAdminClient } from './admin-client.js';
import { readCitusUrl, testServerUrls } from './citus.js';
import { openDebianPostgres } from './debian-postgres.js';
import { startOwnPostgres } from './own-postgres.js';
import { createTestRoles } from './test-roles.js';
import { databasePrefix, publishTestServer, readTestServer } from './test-server.js';

/** No test data survives the run, so nothing needs to reach the disk. */
const SETTINGS = {
  fsync: 'off',
  synchronous_commit: 'off',
  full_page_writes: 'off',
  max_connections: '400',
  // Autovacuum is off: it would change statistics, and with them plans, in the middle of a test.
  autovacuum: 'off',
};

interface Server {
  readonly url: string;
  readonly stop: () => Promise<void>;
}

async function startDebian(): Promise<Server> {
  const postgres = await openDebianPostgres();
  await postgres.createCluster('tests');
  const server = await postgres.serverOn('tests', SETTINGS);
  await server.start();
  return { url: server.url, stop: () => postgres.remove() };
}

/** The server to use instead of a new one: the coordinator in CITUS_URL, else the server in TEST_DATABASE_URL. */
function existingServer(): Server | null {
  const url = readCitusUrl() ?? process.env['TEST_DATABASE_URL'] ?? '';
  return url === '' ? null : { url, stop: dropWhatRunLeft };
}

async function dropWhatRunLeft(): Promise<void> {
  const { url, runId } = readTestServer();
  for (const server of await testServerUrls(url)) await dropDatabases(server, runId);
  await withAdminClient(url, async (client) => {
    const roles = await client.query<{ rolname: string }>(
      'SELECT rolname FROM pg_roles WHERE starts_with(rolname, $1)',
      [databasePrefix(runId)],
    );
    for (const { rolname } of roles.rows) await client.query(`DROP ROLE ${rolname}`);
  });
}

function dropDatabases(server: string, runId: string): Promise<void> {
  return withAdminClient(server, async (client) => {
    const { rows } = await client.query<{ datname: string }>(
      'SELECT datname FROM pg_database WHERE starts_with(datname, $1)',
      [databasePrefix(runId)],
    );
    for (const { datname } of rows) await client.query(`DROP DATABASE IF EXISTS ${datname} WITH (FORCE)`);
  });
}

/**
 * Starts or finds the PostgreSQL of a test run, and passes its address to the processes that this one starts.
 * @param version `debian` starts the one of Debian's packages instead of the embedded one
 * @returns a function that stops the server, or drops what the run left on an existing one
 */
export async function startTestServer(version: 'embedded' | 'debian'): Promise<() => Promise<void>> {
  const server = existingServer() ?? (await (version === 'debian' ? startDebian() : startOwnPostgres(SETTINGS)));
  publishTestServer({ url: server.url, runId: randomBytes(4).toString('hex') });
  await createTestRoles();
  return server.stop;
}
