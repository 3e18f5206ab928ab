import { withAdminClient } from './admin-client.js';
import { testServerUrls } from './citus.js';
import { takeStartedServer } from './started-server.js';
import { databasePrefix, readTestServer } from './test-server.js';

/** Stops the run's own server. On another server it drops the databases and roles of the run. */
async function globalTeardown(): Promise<void> {
  const started = takeStartedServer();
  if (started === null) {
    await dropWhatRunLeft();
    return;
  }
  await started.stop();
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

// Jest takes the default export only.
export default globalTeardown;
