import { randomUUID } from 'node:crypto';
import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';

import { compileOperation, type Gateway, type OperationContract, type OperationValidators } from '@crm/contract';
import { createRides, createSetupCache, EventPositions, openDatabase, type AuditOrigin } from '@crm/db';
import { createCursorCodec, generateApiKey, hashApiKey } from '@crm/domain';
import type { Operation } from '@crm/http';
import type { Context as InboundContext } from '@crm/inbound-gateway';
import type { Context as ReadContext } from '@crm/read-gateway';
import type { WebhookSettings } from '@crm/webhooks';

import type { CliContext } from '../cli-context.js';

/** The gateways that run in the process of a command, with their own key. */
export interface OwnGateways {
  readonly readUrl: string;
  readonly inboundUrl: string;
  readonly apiKey: string;
  readonly webhookSettings: WebhookSettings;
  close(): Promise<void>;
}

/** What else a command may need of its own gateways. */
interface OwnGatewaySettings {
  readonly env?: CliContext['env'];
  readonly groups?: readonly string[];
  /** Read operations besides those of the setup. */
  readonly operations?: readonly string[];
}

/** The groups and the read operations that commands use. Others are left out, because compiling them takes time. */
const isUsed = ({ id, group }: OperationContract, { groups, operations }: OwnKey): boolean =>
  groups.includes(group) &&
  (group !== 'list' ||
    groups.includes('search') ||
    operations.includes(id) ||
    /Fields$|^list(Pipelines|PipelineStages|Members)$/.test(id));

const compiled = new Map<string, OperationValidators>();

/** Compiles each operation once, for a process that opens the gateways several times. */
const validatorsOf = (contract: OperationContract): OperationValidators => {
  const validators = compiled.get(contract.id) ?? compileOperation(contract);
  compiled.set(contract.id, validators);
  return validators;
};

/** The key of the organization that the commands work on. */
interface OwnKey {
  readonly apiKey: string;
  readonly organizationId: string;
  readonly groups: readonly string[];
  readonly operations: readonly string[];
}

/** What one gateway serves, and the dependencies of its operations. */
interface GatewayParts<Context> {
  readonly gateway: Gateway;
  readonly operations: readonly Operation<Context>[];
  readonly context: Context;
}

/** Starts one gateway, which accepts only one key. */
const startGateway = async <Context>({ gateway, operations, context }: GatewayParts<Context>, own: OwnKey) => {
  const { apiKey, organizationId, groups } = own;
  const { createGatewayApp, createLogger } = await import('@crm/http');
  const keyHash = hashApiKey(apiKey);
  const id = randomUUID();
  const key = { id, organizationId, allowedOperations: groups, limits: {}, expiresAt: null, revokedAt: null };
  const app = createGatewayApp({
    gateway,
    withContext: (_request, run) => run(context),
    operations: operations.filter(({ contract }) => isUsed(contract, own)),
    validators: validatorsOf,
    authentication: {
      findApiKeysByHash: (hashes) => Promise.resolve(hashes.map((hash) => (hash.equals(keyHash) ? key : null))),
    },
    limits: { perMinute: { list: 0, search: 0, inbound: 0, bulk: 0, failedAuth: 0 } },
    readiness: () => Promise.resolve(),
    // A command that loads its code delays the event loop, which is no overload.
    maxEventLoopDelayMs: 3_600_000,
    logger: createLogger({ level: 'silent', name: 'crm' }),
  });
  const server = createServer(app);
  await new Promise<void>((done) => server.listen({ port: 0, host: '127.0.0.1' }, done));
  return { server, url: `http://127.0.0.1:${(server.address() as AddressInfo).port}` };
};

/**
 * Runs the operations of the gateways that set-up commands use in this process, for one organization of a database. So
 * an operator needs neither running gateways nor a key, and everything goes through the API all the same.
 *
 * @param origin - who runs the command, for the audit trail
 * @param settings - the groups of operations that the command calls, and the environment with the settings of webhooks
 */
export const openOwnGateways = async (
  databaseUrl: string,
  organizationId: string,
  origin: AuditOrigin,
  { env = {}, groups = ['list', 'setup'], operations = [] }: OwnGatewaySettings = {},
): Promise<OwnGateways> => {
  const { readEnvironment } = await import('@crm/http');
  const { readWebhookSettings } = await import('@crm/webhooks');
  const { operations: readOperations } = await import('@crm/read-gateway');
  const { operations: inboundOperations } = await import('@crm/inbound-gateway');
  const webhookSettings = readEnvironment(env, readWebhookSettings);
  const database = openDatabase({ url: databaseUrl, applicationName: 'crm-cli', maxConnections: 2 });
  const setups = createSetupCache(database);
  const readContext: ReadContext = {
    database,
    setups,
    // The secret is always the same for a database, so that a stopped export can continue.
    cursors: createCursorCodec([hashApiKey(databaseUrl).toString('hex')]),
    eventPositions: new EventPositions((work) => work(database)),
  };
  const inboundContext: InboundContext = {
    database,
    setups,
    // A command has no creates that arrive together.
    runCreate: createRides(database, 1),
    commandLine: origin,
    webhooks: webhookSettings,
    // A command waits for the rebuild, and ends with its error.
    onRebuildFailure: () => undefined,
  };
  const key = { apiKey: generateApiKey(), organizationId, groups, operations };
  const [read, inbound] = await Promise.all([
    startGateway({ gateway: 'read', operations: readOperations, context: readContext }, key),
    startGateway({ gateway: 'inbound', operations: inboundOperations, context: inboundContext }, key),
  ]);
  return {
    readUrl: read.url,
    inboundUrl: inbound.url,
    apiKey: key.apiKey,
    webhookSettings,
    close: async () => {
      for (const { server } of [read, inbound]) {
        server.close();
        server.closeAllConnections();
      }
      await database.close();
    },
  };
};
