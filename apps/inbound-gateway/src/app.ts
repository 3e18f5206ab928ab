import { buildOpenApiDocument, compileOperation } from '@crm/contract';
import { findApiKeyByHash, touchApiKey } from '@crm/db';
import { createGatewayApp, type GatewayActivity, type GatewaySettings } from '@crm/http';
import type { Express } from 'express';
import type { Logger } from 'pino';
import type { Context } from './context.js';
import { operations } from './operations/index.js';

/** Builds the inbound gateway's app, apart from any listener. */
export const createApp = (
  context: Context,
  settings: GatewaySettings,
  logger: Logger,
  activity?: GatewayActivity,
): Express => {
  const { database } = context;
  return createGatewayApp({
    gateway: 'inbound',
    context,
    operations,
    validators: compileOperation,
    authentication: {
      findApiKeyByHash: (hash) => findApiKeyByHash(database, hash),
      onKeyUsed: (apiKeyId, usedAt) => touchApiKey(database, apiKeyId, usedAt),
    },
    limits: { perMinute: settings.rateLimits },
    readiness: () => database.ping(),
    logger,
    openApiDocument: buildOpenApiDocument(
      'inbound',
      operations.map(({ contract }) => contract),
    ),
    trustProxy: settings.trustProxy,
    maxInFlight: settings.maxInFlight,
    maxEventLoopDelayMs: settings.maxEventLoopDelayMs,
    activity,
    isTraced: settings.tracing !== undefined,
  });
};
