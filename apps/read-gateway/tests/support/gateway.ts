import {
  type AdministrationDatabase,
  applyRoles,
  type Database,
  migrate,
  openAdministrationDatabase,
  openDatabase,
} from '@crm/db';
import { createLogger, startServer } from '@crm/http';
import {
  createTestClient,
  createTestDatabase,
  createTestOrganization,
  readTestStack,
  type GatewayProcess,
  startGatewayProcesses,
  type TestClient,
  type TestDatabase,
  type TestOrganization,
  testRoleNames,
  urlForRole,
} from '@crm/testing';
import { createApp } from '../../src/app.js';
import { envToConfig } from '../../src/config.js';
import { createContext } from '../../src/context.js';
import { operations } from '../../src/operations/index.js';
import { organizationTools } from './organization-tools.js';

const contracts = operations.map(({ contract }) => contract);
const mainFile = new URL('../../dist/main.js', import.meta.url).pathname;

/** The default secret for signing cursors. */
export const cursorSecret = 'a secret that only the tests know';

const quiet = {
  CURSOR_SECRETS: cursorSecret,
  RATE_LIMIT_LIST: '0',
  RATE_LIMIT_SEARCH: '0',
  RATE_LIMIT_FAILED_AUTH: '0',
  LOG_LEVEL: 'error',
  // Jest compiles within this process, and the machine may be busy: neither counts as overload.
  MAX_EVENT_LOOP_DELAY_MS: '60000',
};

/** A read gateway and two organizations. */
export interface TestGateway {
  /** Without a trailing slash. */
  readonly url: string;
  /** Address for the role that owns the tables. */
  readonly databaseUrl: string;
  /** Address for the role of the gateways, made by `crm roles apply`. Every gateway here uses it. */
  readonly gatewayUrl: string;
  /** Pool of the role that owns the tables. */
  readonly database: AdministrationDatabase;
  readonly organization: TestOrganization;
  /** Another tenant of the same database. */
  readonly stranger: TestOrganization;
  /** Sends the organization's key. */
  readonly client: TestClient;
  /** A client that sends another key. */
  clientOf(organization: TestOrganization): TestClient;
  createOrganization(): Promise<TestOrganization>;
  /** Starts another gateway in this process on the same database. `environment` overrides the tests' settings. */
  startAnother(environment: Readonly<Record<string, string>>): Promise<TestClient>;
  /** Starts another gateway in this process on pools that the test opens and closes; without a replica if absent. */
  startOn(database: Database, replica?: Database): Promise<TestClient>;
  /** Starts a gateway in a separate process on the same database. */
  startProcess(
    environment: Readonly<Record<string, string>>,
  ): Promise<GatewayProcess & { readonly client: TestClient }>;
  stop(): Promise<void>;
}

/** Shorter than the default, so that the test of a revoked key takes less than two seconds per operation. */
const keyCacheMaxAgeMs = 100;

type Stop = () => Promise<unknown>;

const startInProcess = async (
  url: string,
  database: Database,
  environment: Readonly<Record<string, string>>,
  stops: Stop[],
  replica: Database | null = null,
): Promise<string> => {
  const config = envToConfig({ DATABASE_URL: url, PORT: '0', ...quiet, ...environment });
  const logger = createLogger({ level: 'error', name: 'read-gateway' });
  const context = createContext(database, config.cursorSecrets, { replica });
  const app = createApp(context, config, logger, { keyCacheMaxAgeMs });
  const running = await startServer(app, { host: '127.0.0.1', port: 0, logger, handleSignals: false });
  stops.push(() => {
    running.server.closeAllConnections();
    return running.stop();
  });
  return running.url;
};

/** Migrates a database and creates the roles of the gateways, which {@link urlForRole} gives addresses for. */
export const prepareDatabase = async (url: string): Promise<void> => {
  await migrate(url);
  await applyRoles(url, testRoleNames());
};

/** Where the gateway of a test file runs: in a separate process that other files share, or in this process. */
interface Place {
  readonly databaseUrl: string;
  /** Starts the gateway. @returns its address */
  readonly start: (gatewayUrl: string, gatewayDatabase: Database, stops: Stop[]) => Promise<string>;
  /** Called after everything has stopped. */
  readonly close: () => Promise<void>;
}

const setUp = async ({ databaseUrl, start, close }: Place): Promise<TestGateway> => {
  const stops: Stop[] = [];
  const gatewayUrl = urlForRole(databaseUrl, 'read');
  const gatewayDatabase = openDatabase({ url: gatewayUrl, applicationName: 'read-gateway-test' });
  const database = openAdministrationDatabase({ url: databaseUrl, applicationName: 'administration-test' });
  const tools = organizationTools(database);
  const organization = await createTestOrganization(tools);
  const baseUrl = await start(gatewayUrl, gatewayDatabase, stops);
  const clientOf = ({ key }: TestOrganization): TestClient => createTestClient(baseUrl, contracts, key);
  return {
    url: baseUrl,
    databaseUrl,
    gatewayUrl,
    database,
    organization,
    stranger: await createTestOrganization(tools),
    client: clientOf(organization),
    clientOf,
    createOrganization: () => createTestOrganization(tools),
    startAnother: async (environment) =>
      createTestClient(
        await startInProcess(gatewayUrl, gatewayDatabase, environment, stops),
        contracts,
        organization.key,
      ),
    startOn: async (ownDatabase, replica) =>
      createTestClient(await startInProcess(gatewayUrl, ownDatabase, {}, stops, replica), contracts, organization.key),
    startProcess: async (environment) => {
      const [one] = await startGatewayProcesses(1, mainFile, { DATABASE_URL: gatewayUrl, ...quiet, ...environment });
      if (one === undefined) throw new Error('no process was started');
      stops.push(one.stop);
      return { ...one, client: createTestClient(one.url, contracts, organization.key) };
    },
    stop: async () => {
      await Promise.all(stops.map((stop) => stop()));
      await Promise.all([gatewayDatabase.close(), database.close()]);
      await close();
    },
  };
};

/** Sets up two organizations on the gateway that all test files share. */
export const startTestGateway = (): Promise<TestGateway> => {
  const { databaseUrl, readUrl } = readTestStack();
  return setUp({ databaseUrl, start: () => Promise.resolve(readUrl), close: () => Promise.resolve() });
};

/** Starts a gateway with a database of its own, for tests that look at the whole database or change its settings. */
export const startOwnGateway = async (): Promise<TestGateway> => {
  const { url, drop }: TestDatabase = await createTestDatabase(prepareDatabase, 'gateways');
  return setUp({
    databaseUrl: url,
    start: (gatewayUrl, gatewayDatabase, stops) => startInProcess(gatewayUrl, gatewayDatabase, {}, stops),
    close: drop,
  });
};
