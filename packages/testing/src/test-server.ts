/** Where the runner stores the server's address for the test processes, because jest passes them no other values. */
const SERVER_URL_VARIABLE = 'CRM_TEST_SERVER_URL';
const RUN_ID_VARIABLE = 'CRM_TEST_RUN_ID';

/** The server that the tests of one run share. */
interface TestServer {
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

/** The server of this run. @throws outside a run of packages/testing/scripts/run-tests.mjs */
export function readTestServer(): TestServer {
  const url = process.env[SERVER_URL_VARIABLE];
  const runId = process.env[RUN_ID_VARIABLE];
  if (url === undefined || runId === undefined) {
    throw new Error('no test server: run packages/testing/scripts/run-tests.mjs');
  }
  return { url, runId };
}

/** Names the databases of a run. All have the same prefix, so that the end of the run finds those left by a test. */
export function databasePrefix(runId: string): string {
  return `test_${runId}_`;
}

const STACK_VARIABLE = 'CRM_TEST_STACK';

/** The gateways that the test files of one run share, and their database. */
export interface TestStack {
  /** The database's address for the role that owns the tables. */
  readonly databaseUrl: string;
  readonly readUrl: string;
  readonly inboundUrl: string;
}

/** Passes the addresses to the test processes, which start later. */
export function publishTestStack(stack: TestStack): void {
  process.env[STACK_VARIABLE] = JSON.stringify(stack);
}

/** The gateways of this run. @throws outside a run of packages/testing/scripts/run-tests.mjs */
export function readTestStack(): TestStack {
  const text = process.env[STACK_VARIABLE];
  if (text === undefined) throw new Error('no gateways: run packages/testing/scripts/run-tests.mjs');
  return JSON.parse(text) as TestStack;
}
