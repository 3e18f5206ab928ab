/** Where global setup stores the server's address for the test processes, because jest passes them no other values. */
const SERVER_URL_VARIABLE = 'CRM_TEST_SERVER_URL';
const RUN_ID_VARIABLE = 'CRM_TEST_RUN_ID';

/** The server that the tests of one run share. */
export interface TestServer {
  /** The address of a database on it, from which others can be created. */
  url: string;
  /** Part of every database's name, so that runs can share a server. Lower-case letters and digits. */
  runId: string;
}

/** Passes the server's address to the test processes, which start later. */
export function publishTestServer({ url, runId }: TestServer): void {
  process.env[SERVER_URL_VARIABLE] = url;
  process.env[RUN_ID_VARIABLE] = runId;
}

/** The server of this run. @throws outside a jest run whose configuration is `jest-database.json`. */
export function readTestServer(): TestServer {
  const url = process.env[SERVER_URL_VARIABLE];
  const runId = process.env[RUN_ID_VARIABLE];
  if (url === undefined || runId === undefined) {
    throw new Error('no test server: run jest with packages/testing/jest-database.json');
  }
  return { url, runId };
}

/** Names the databases of a run. All have the same prefix, so that the end of the run finds those left by a test. */
export function databasePrefix(runId: string): string {
  return `test_${runId}_`;
}
