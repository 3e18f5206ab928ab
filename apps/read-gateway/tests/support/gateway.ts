import { type Database, openAdministrationDatabase, openDatabase } from '@crm/db';
import {
  createTestClient,
  readTestStack,
  startGatewayProcess,
  type TestClient,
  type TestOrganization,
  urlForRole,
} from '@crm/testing';
import { afterAll, beforeAll } from '@jest/globals';
import { createMigratedDatabase, createTestOrganization } from '@crm/testing/suites';
import { recordsOf } from './records.js';

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

/** What a gateway in this process runs with. */
interface StartOptions {
  /** Overrides the settings of the tests. */
  readonly environment?: Readonly<Record<string, string>>;
  /** Pools that the test opens and closes. By default the gateway has its own pool, and no replica. */
  readonly database?: Database;
  readonly replica?: Database;
}

/** A read gateway and two organizations. */
export type TestGateway = Awaited<ReturnType<typeof setUp>>;

type Stop = () => Promise<unknown>;

const startInProcess = async (
  url: string,
  database: Database,
  { environment = {}, replica }: StartOptions,
  stops: Stop[],
) => {
  // Most test files start no gateway of their own, and loading one takes half a second.
  const { createLogger, GatewayActivity: Activity, startServer } = await import('@crm/http');
  const { createApp } = await import('../../src/app.js');
  const { envToConfig } = await import('../../src/config.js');
  const { createContext } = await import('../../src/context.js');
  const config = envToConfig({ DATABASE_URL: url, PORT: '0', ...quiet, ...environment });
  const logger = createLogger({ level: 'error', name: 'read-gateway' });
  const context = createContext(database, config.cursorSecrets, { replica: replica ?? null });
  const activity = new Activity();
  const app = createApp(context, config, logger, { activity });
  const running = await startServer(app, { host: '127.0.0.1', port: 0, logger, handleSignals: false });
  stops.push(() => {
    running.server.closeAllConnections();
    return running.stop();
  });
  return { url: running.url, activity, stop: () => running.stop() };
};

/** Where the gateway of a test file runs: in a process that other files share, at `url`, or else in this one. */
interface Place {
  readonly databaseUrl: string;
  readonly url?: string;
  /** Called after everything has stopped. */
  readonly close?: () => Promise<void>;
}

const setUp = async ({ databaseUrl, url, close }: Place) => {
  const stops: Stop[] = [];
  const gatewayUrl = urlForRole(databaseUrl, 'read');
  const gatewayDatabase = openDatabase({ url: gatewayUrl, applicationName: 'read-gateway-test' });
  const database = openAdministrationDatabase({ url: databaseUrl, applicationName: 'administration-test' });
  const organization = await createTestOrganization(database);
  const baseUrl = url ?? (await startInProcess(gatewayUrl, gatewayDatabase, {}, stops)).url;
  const clientAt = (address: string, { key } = organization): TestClient => createTestClient(address, key);
  const clientOf = (owner: TestOrganization): TestClient => clientAt(baseUrl, owner);
  return {
    /** Without a trailing slash. */
    url: baseUrl,
    /** Address for the role that owns the tables. */
    databaseUrl,
    /** Address for the role of the gateways, made by `crm roles apply`. Every gateway here uses it. */
    gatewayUrl,
    /** Pool of the role that owns the tables. */
    database,
    organization,
    /** Another tenant of the same database. */
    stranger: await createTestOrganization(database),
    /** Sends the organization's key. */
    client: clientOf(organization),
    /** A client that sends another key. */
    clientOf,
    createOrganization: () => createTestOrganization(database),
    /** Writes records, by default of the organization. */
    records: (owner = organization) => recordsOf(database, owner),
    /** Starts another gateway in this process on the same database. */
    start: async (options: StartOptions = {}) => {
      const started = await startInProcess(gatewayUrl, options.database ?? gatewayDatabase, options, stops);
      return { ...started, client: clientAt(started.url) };
    },
    /** Starts a gateway in a separate process on the same database. */
    startProcess: async (environment: Readonly<Record<string, string>>) => {
      const one = await startGatewayProcess('read-gateway', { DATABASE_URL: gatewayUrl, ...quiet, ...environment });
      stops.push(one.stop);
      return { ...one, client: clientAt(one.url) };
    },
    stop: async () => {
      await Promise.all(stops.map((stop) => stop()));
      await Promise.all([gatewayDatabase.close(), database.close()]);
      await close?.();
    },
  };
};

/** Sets up two organizations on the gateway that all test files share. */
export const startTestGateway = (): Promise<TestGateway> => {
  const { databaseUrl, readUrl } = readTestStack();
  return setUp({ databaseUrl, url: readUrl });
};

/** Starts a gateway with a database of its own, for tests that look at the whole database or change its settings. */
export const startOwnGateway = async (): Promise<TestGateway> => {
  const { url, drop } = await createMigratedDatabase();
  return setUp({ databaseUrl: url, close: drop });
};

/** Starts a gateway before the tests of the file and stops it after them. */
export const useGateway = (start: () => Promise<TestGateway>): TestGateway => {
  const gateway = {} as TestGateway;
  beforeAll(async () => {
    Object.assign(gateway, await start());
  });
  afterAll(() => gateway.stop());
  return gateway;
};
