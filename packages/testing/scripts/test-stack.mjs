// The servers that all test files of one run share: one PostgreSQL and, on one of its databases, both gateways as shipped. Test files
// set up organizations of their own. Needs the build.

const settings = {
  // Organizations of tests send more than any default limit. Tests of limits set those of a key, or start a gateway.
  RATE_LIMIT_LIST: '0',
  RATE_LIMIT_SEARCH: '0',
  RATE_LIMIT_INBOUND: '0',
  RATE_LIMIT_BULK: '0',
  RATE_LIMIT_FAILED_AUTH: '0',
  WEBHOOK_SECRET_KEY: Buffer.alloc(32, 'key').toString('base64'),
  CURSOR_SECRETS: 'a secret that only the tests know',
  LOG_LEVEL: 'error',
};

/** The template of databases for tests of gateways: migrated, with the roles of the gateways. */
const prepare = async (url) => {
  const { applyRoles, migrate } = await import('../../db/dist/index.js');
  const { testRoleNames } = await import('../dist/index.js');
  await migrate(url);
  await applyRoles(url, testRoleNames());
};

/** Starts the gateways, and passes their addresses and that of their database to the processes that this one starts. */
const startGateways = async () => {
  const { createTestDatabase, publishTestStack, startGatewayProcess, urlForRole } = await import('../dist/index.js');
  const { url } = await createTestDatabase(prepare, 'gateways');
  const start = (role) => startGatewayProcess(`${role}-gateway`, { ...settings, DATABASE_URL: urlForRole(url, role) });
  const gateways = await Promise.all(['read', 'inbound'].map(start));
  const [readUrl, inboundUrl] = gateways.map((gateway) => gateway.url);
  publishTestStack({ databaseUrl: url, readUrl, inboundUrl });
  return () => Promise.all(gateways.map((gateway) => gateway.stop()));
};

/**
 * Starts the servers.
 * @param {'embedded' | 'debian'} postgres
 * @param {boolean} withGateways
 * @returns a function that stops them
 */
export const startTestStack = async (postgres, withGateways) => {
  const { startTestServer } = await import('../dist/index.js');
  const stopServer = await startTestServer(postgres);
  try {
    const stopGateways = withGateways ? await startGateways() : async () => undefined;
    return async () => {
      await stopGateways();
      await stopServer();
    };
  } catch (error) {
    await stopServer();
    throw error;
  }
};
