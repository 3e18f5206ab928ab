import { inboundOperations } from '@crm/contract';
import { type Database, migrate, openDatabase } from '@crm/db';
import {
  createTestClient,
  createTestOrganization,
  type GatewayProcess,
  type OwnPostgres,
  startGatewayProcesses,
  startOwnPostgres,
  type TestClient,
  type TestOrganization,
} from '@crm/testing';
import { organizationTools } from './organization-tools.js';

const mainFile = new URL('../../dist/main.js', import.meta.url).pathname;

/** Gateways in processes of their own on a server of their own, both of which a test may end. */
export interface OwnStack {
  readonly postgres: OwnPostgres;
  readonly database: Database;
  readonly organization: TestOrganization;
  startGateway(
    environment?: Readonly<Record<string, string>>,
  ): Promise<{ process: GatewayProcess; client: TestClient }>;
  stop(): Promise<void>;
}

/** Starts the server, with an organization; nothing about durability is turned off. */
export const startOwnStack = async (): Promise<OwnStack> => {
  const postgres = await startOwnPostgres();
  await migrate(postgres.url);
  const database = openDatabase({ url: postgres.url, applicationName: 'own-stack-test' });
  const organization = await createTestOrganization(organizationTools(database));
  const processes: GatewayProcess[] = [];
  return {
    postgres,
    database,
    organization,
    startGateway: async (environment = {}) => {
      const settings = { DATABASE_URL: postgres.url, RATE_LIMIT_INBOUND: '0', LOG_LEVEL: 'fatal', ...environment };
      const [process] = await startGatewayProcesses(1, mainFile, settings);
      if (process === undefined) throw new Error('no process was started');
      processes.push(process);
      return { process, client: createTestClient(process.url, inboundOperations, organization.key) };
    },
    stop: async () => {
      await Promise.all(processes.map((one) => one.stop()));
      await database.close();
      await postgres.stop();
    },
  };
};
