import { buildOpenApiDocument, compileOperation } from '@crm/contract';
import { findApiKeyByHash, touchApiKey } from '@crm/db';
import { createGatewayApp, type GatewayActivity, type GatewaySettings, type SharedCounters } from '@crm/http';
import type { Express } from 'express';
import type { Logger } from 'pino';
import type { Context, GatewayContext } from './context.js';
import { operations } from './operations/index.js';
import { readReadAfter } from './read-after.js';

/** What a process adds to its app. */
export interface AppParts {
  /** What is measured; nobody looks at it when absent. */
  readonly activity?: GatewayActivity | undefined;
  /** Where rate limits are counted; in this process when absent. */
  readonly counters?: SharedCounters | undefined;
}

/** Builds the read gateway's app, apart from any listener. */
export const createApp = (
  context: GatewayContext,
  settings: GatewaySettings,
  logger: Logger,
  parts: AppParts = {},
): Express => {
  const { primary, reads, cursors } = context;
  return createGatewayApp<Context>({
    gateway: 'read',
    withContext: ({ header }, run) =>
      reads.read(readReadAfter(header('x-read-after')), (source) => run({ ...source, cursors })),
    operations,
    validators: compileOperation,
    authentication: {
      findApiKeyByHash: (hash) => reads.readLatest((database) => findApiKeyByHash(database, hash)),
      onKeyUsed: (apiKeyId, usedAt) => touchApiKey(primary, apiKeyId, usedAt),
    },
    limits: { perMinute: settings.rateLimits, createStore: parts.counters?.createStore },
    readiness: () => reads.ping(),
    logger,
    openApiDocument: buildOpenApiDocument(
      'read',
      operations.map(({ contract }) => contract),
    ),
    trustProxy: settings.trustProxy,
    maxInFlight: settings.maxInFlight,
    maxEventLoopDelayMs: settings.maxEventLoopDelayMs,
    activity: parts.activity,
    isTraced: settings.tracing !== undefined,
  });
};
