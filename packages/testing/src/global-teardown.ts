import { withAdminClient } from './admin-client.js';
import { takeStartedServer } from './started-server.js';
import { databasePrefix, readTestServer } from './test-server.js';

/** Stops the run's own server; on a server that stays it drops what the run left. */
async function globalTeardown(): Promise<void> {
  const started = takeStartedServer();
  if (started === null) {
    await dropDatabasesOfRun();
    return;
  }
  await started.stop();
}

async function dropDatabasesOfRun(): Promise<void> {
  const { url, runId } = readTestServer();
  await withAdminClient(url, async (client) => {
    const { rows } = await client.query<{ datname: string }>(
      'SELECT datname FROM pg_database WHERE starts_with(datname, $1)',
      [databasePrefix(runId)],
    );
    for (const { datname } of rows) await client.query(`DROP DATABASE IF EXISTS ${datname} WITH (FORCE)`);
  });
}

// Jest takes the default export only.
export default globalTeardown;
