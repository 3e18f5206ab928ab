import { buildOpenApiDocument, compileOperation } from '@crm/contract';
import { type Database, findApiKeysByHash, findWriteProblem, isConnectionError, touchApiKey } from '@crm/db';
import { type AppParts, createGatewayApp, type GatewaySettings, NotReadyError } from '@crm/http';
import type { Express } from 'express';
import type { Logger } from 'pino';
import type { Context } from './context.js';
import { operations } from './operations/index.js';

/** @throws NotReadyError if nothing can be written, such as after a failover that made the server a standby */
const checkReadiness = async (database: Database): Promise<void> => {
  const problem = await findWriteProblem(database);
  if (problem !== null) throw new NotReadyError(problem);
};

/** Builds the inbound gateway's app, without a listener. */
export const createApp = (
  context: Context,
  settings: GatewaySettings,
  logger: Logger,
  parts: AppParts = {},
): Express => {
  const { database } = context;
  return createGatewayApp({
    gateway: 'inbound',
    withContext: (_request, run) => run(context),
    operations,
    validators: compileOperation,
    authentication: {
      findApiKeysByHash: (hashes) => findApiKeysByHash(database, hashes),
      onKeyUsed: (apiKeyId, usedAt) => touchApiKey(database, apiKeyId, usedAt),
    },
    limits: { perMinute: settings.rateLimits, createStore: parts.counters?.createStore },
    startUp: parts.startUp,
    readiness: () => checkReadiness(database),
    isOutage: isConnectionError,
    logger,
    openApiDocument: buildOpenApiDocument(
      'inbound',
      operations.map(({ contract }) => contract),
    ),
    otherGatewayUrl: settings.otherGatewayUrl,
    trustProxy: settings.trustProxy,
    maxInFlight: settings.maxInFlight,
    maxBytesInFlight: settings.maxBytesInFlight,
    maxBulkPerOrganization: settings.maxBulkPerOrganization,
    maxEventLoopDelayMs: settings.maxEventLoopDelayMs,
    activity: parts.activity,
    isTraced: settings.tracing !== undefined,
  });
};
