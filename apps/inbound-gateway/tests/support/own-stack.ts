import { migrate, openAdministrationDatabase } from '@crm/db';
import { createTestClient, type GatewayProcess, startGatewayProcess, startOwnPostgres } from '@crm/testing';
import { createMigratedDatabase, createTestOrganization } from '@crm/testing/suites';

/** Gateways in separate processes, which a test may end. */
export type Stack = Awaited<ReturnType<typeof stackOn>>;

/** The same on a server of its own, which a test may also end. */
export type OwnStack = Awaited<ReturnType<typeof startOwnStack>>;

const stackOn = async (url: string, removeDatabase: () => Promise<void>) => {
  const database = openAdministrationDatabase({ url, applicationName: 'stack-test' });
  const organization = await createTestOrganization(database);
  const processes: GatewayProcess[] = [];
  return {
    database,
    organization,
    startGateway: async (environment: Readonly<Record<string, string>> = {}) => {
      const settings = { DATABASE_URL: url, RATE_LIMIT_INBOUND: '0', LOG_LEVEL: 'fatal', ...environment };
      const process = await startGatewayProcess('inbound-gateway', settings);
      processes.push(process);
      return { process, client: createTestClient(process.url, organization.key) };
    },
    stop: async () => {
      await Promise.all(processes.map((one) => one.stop()));
      await database.close();
      await removeDatabase();
    },
  };
};

/** Creates a database with an organization on the shared test server. */
export const startStack = async (): Promise<Stack> => {
  const { url, drop } = await createMigratedDatabase();
  return stackOn(url, drop);
};

/** Starts a server with an organization and PostgreSQL's full durability. */
export const startOwnStack = async () => {
  const postgres = await startOwnPostgres();
  await migrate(postgres.url);
  return { ...(await stackOn(postgres.url, () => postgres.stop())), postgres };
};
