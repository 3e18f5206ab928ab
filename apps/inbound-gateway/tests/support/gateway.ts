import { type DatabaseOptions, openAdministrationDatabase, openDatabase } from '@crm/db';
import { createLogger, startServer } from '@crm/http';
import {
  createTestClient,
  readTestStack,
  startGatewayProcess,
  type TestClient,
  type TestOrganization,
  urlForRole,
  writeServerUrl,
} from '@crm/testing';
import { createApp } from '../../src/app.js';
import { envToConfig } from '../../src/config.js';
import { createContext } from '../../src/context.js';
import { createMigratedDatabase, createTestOrganization } from '@crm/testing/suites';

const quiet = {
  RATE_LIMIT_INBOUND: '0',
  RATE_LIMIT_BULK: '0',
  RATE_LIMIT_FAILED_AUTH: '0',
  LOG_LEVEL: 'error',
  // Jest compiles within this process, and the machine may be busy: neither counts as overload.
  MAX_EVENT_LOOP_DELAY_MS: '60000',
};

/** An inbound gateway and two organizations. */
export type TestGateway = Awaited<ReturnType<typeof setUp>>;

type Stop = () => Promise<unknown>;

/** Starts a gateway with a pool of its own. @returns its address */
const startInProcess = async (url: string, stops: Stop[], options: Partial<DatabaseOptions> = {}): Promise<string> => {
  const database = openDatabase({ url, applicationName: 'inbound-gateway-test', ...options });
  const config = envToConfig({ DATABASE_URL: url, PORT: '0', ...quiet });
  const logger = createLogger({ level: 'fatal', name: 'inbound-gateway' });
  const app = createApp(createContext(database), config, logger);
  const running = await startServer(app, { host: '127.0.0.1', port: 0, logger, handleSignals: false });
  stops.push(async () => {
    running.server.closeAllConnections();
    await running.stop();
    await database.close();
  });
  return running.url;
};

/** Where the gateway of a test file runs: in a separate process that other files share, or in this process. */
interface Place {
  readonly databaseUrl: string;
  /** Starts the gateway. @returns its address */
  readonly start: (gatewayUrl: string, stops: Stop[]) => Promise<string>;
  /** Called after everything has stopped. */
  readonly close: () => Promise<void>;
}

const setUp = async ({ databaseUrl: url, start, close }: Place) => {
  const stops: Stop[] = [];
  const gatewayUrl = urlForRole(url, 'inbound');
  const database = openAdministrationDatabase({ url, applicationName: 'administration-test' });
  const organization = await createTestOrganization(database);
  const writeUrl = await writeServerUrl(url, organization.id);
  const writeDatabase = openAdministrationDatabase({ url: writeUrl, applicationName: 'administration-test' });
  const baseUrl = await start(gatewayUrl, stops);
  const clientOf = ({ key }: TestOrganization): TestClient => createTestClient(baseUrl, key);
  return {
    /** Address for the role that owns the tables. */
    databaseUrl: url,
    /** Address for the role of the gateways, made by `crm roles apply`. Every gateway here uses it. */
    gatewayUrl,
    /** Pool of the role that owns the tables. */
    database,
    /** The same on the server that runs the organization's writes. With Citus, that is one of the workers. */
    writeDatabase,
    organization,
    /** Another tenant of the same database. */
    stranger: await createTestOrganization(database),
    /** Sends the organization's key. */
    client: clientOf(organization),
    /** A client that sends another key. */
    clientOf,
    createOrganization: (options?: { readonly freemail?: 'create' | 'skip' }) =>
      createTestOrganization(database, options),
    /** Starts another gateway in this process with another database address or other limits. */
    startOn: async (databaseUrl: string, options: Partial<DatabaseOptions> = {}) => {
      const otherUrl = await startInProcess(databaseUrl, stops, options);
      return createTestClient(otherUrl, organization.key);
    },
    /** Starts that many gateways in separate processes on the same database. @returns a client of each */
    startProcesses: async (count: number) => {
      const settings = { DATABASE_URL: gatewayUrl, ...quiet };
      const starts = Array.from({ length: count }, () => startGatewayProcess('inbound-gateway', settings));
      const processes = await Promise.all(starts);
      stops.push(...processes.map((one) => one.stop));
      return processes.map((one) => createTestClient(one.url, organization.key));
    },
    /** Runs a query in which `$1` is the organization. */
    rows: <Row extends Record<string, unknown>>(text: string, values?: readonly unknown[]) =>
      database.query<Row>(organization.id, { text, values: values ?? [] }),
    stop: async () => {
      await Promise.all(stops.map((stop) => stop()));
      await Promise.all([writeDatabase.close(), database.close()]);
      await close();
    },
  };
};

/** Sets up two organizations on the gateway that all test files share. */
export const startTestGateway = (): Promise<TestGateway> => {
  const { databaseUrl, inboundUrl } = readTestStack();
  return setUp({ databaseUrl, start: () => Promise.resolve(inboundUrl), close: () => Promise.resolve() });
};

/** Starts a gateway with a database of its own, for tests that look at the whole database or change its settings. */
export const startOwnGateway = async (): Promise<TestGateway> => {
  const { url, drop } = await createMigratedDatabase();
  return setUp({ databaseUrl: url, start: startInProcess, close: drop });
};
