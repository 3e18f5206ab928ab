import { buildOpenApiDocument, compileOperation } from '@crm/contract';
import { findApiKeyByHash, touchApiKey } from '@crm/db';
import { createGatewayApp, type GatewayActivity, type GatewaySettings, type SharedCounters } from '@crm/http';
import type { Express } from 'express';
import type { Logger } from 'pino';
import type { Context } from './context.js';
import { operations } from './operations/index.js';

/** What a process adds to its app. */
export interface AppParts {
  /** What is measured; nobody looks at it when absent. */
  readonly activity?: GatewayActivity | undefined;
  /** Where rate limits are counted; in this process when absent. */
  readonly counters?: SharedCounters | undefined;
}

/** Builds the inbound gateway's app, apart from any listener. */
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
      findApiKeyByHash: (hash) => findApiKeyByHash(database, hash),
      onKeyUsed: (apiKeyId, usedAt) => touchApiKey(database, apiKeyId, usedAt),
    },
    limits: { perMinute: settings.rateLimits, createStore: parts.counters?.createStore },
    readiness: () => database.ping(),
    logger,
    openApiDocument: buildOpenApiDocument(
      'inbound',
      operations.map(({ contract }) => contract),
    ),
    trustProxy: settings.trustProxy,
    maxInFlight: settings.maxInFlight,
    maxEventLoopDelayMs: settings.maxEventLoopDelayMs,
    activity: parts.activity,
    isTraced: settings.tracing !== undefined,
  });
};
