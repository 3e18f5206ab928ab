import { administration, type AdministrationDatabase, migrate, openAdministrationDatabase } from '@crm/db';
import { generateApiKey, hashApiKey } from '@crm/domain';
import {
  createTestDatabase,
  createTestOrganization,
  type GatewayProcess,
  startGatewayProcesses,
  type TestOrganization,
} from '@crm/testing';
import { type ClientOptions, createClient, type CrmClient } from '../../src/index.js';

const mainFile = (gateway: string): string =>
  new URL(`../../../../apps/${gateway}/dist/main.js`, import.meta.url).pathname;

const quiet = {
  CURSOR_SECRETS: 'a secret that only the tests know',
  RATE_LIMIT_LIST: '0',
  RATE_LIMIT_INBOUND: '0',
  RATE_LIMIT_BULK: '0',
  LOG_LEVEL: 'error',
};

/** Both gateways, as they run in production, with their own database and one organization. */
export interface TestCrm {
  readonly organization: TestOrganization;
  readonly client: CrmClient;
  readonly addresses: { readonly readUrl: string; readonly inboundUrl: string };
  readonly readUrl: string;
  readonly database: AdministrationDatabase;
  /** A client with other options. */
  clientWith(options: Partial<ClientOptions>): CrmClient;
  stop(): Promise<void>;
}

const startGateway = async (name: string, url: string): Promise<GatewayProcess> => {
  const [gateway] = await startGatewayProcesses(1, mainFile(name), { DATABASE_URL: url, ...quiet });
  if (gateway === undefined) throw new Error('no process was started');
  return gateway;
};

const migrateQuietly = async (url: string): Promise<void> => {
  await migrate(url);
};

/** Starts the gateways for one test file. */
export const startTestCrm = async (): Promise<TestCrm> => {
  const { url, drop } = await createTestDatabase(migrateQuietly, 'migrated');
  const database = openAdministrationDatabase({ url, applicationName: 'client-test' });
  const organization = await createTestOrganization({
    ...administration(database),
    newKey: () => {
      const key = generateApiKey();
      return { key, hash: new Uint8Array(hashApiKey(key)) };
    },
  });
  const gateways = await Promise.all([startGateway('read-gateway', url), startGateway('inbound-gateway', url)]);
  const [{ url: readUrl }, { url: inboundUrl }] = gateways;
  const clientWith = (options: Partial<ClientOptions>): CrmClient =>
    createClient({ readUrl, inboundUrl, apiKey: organization.key, ...options });
  return {
    organization,
    readUrl,
    database,
    client: clientWith({}),
    addresses: { readUrl, inboundUrl },
    clientWith,
    stop: async () => {
      await Promise.all(gateways.map((gateway) => gateway.stop()));
      await database.close();
      await drop();
    },
  };
};
