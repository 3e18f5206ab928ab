import { buildOpenApiDocument, compileOperation } from '@crm/contract';
import { findApiKeysByHash, isConnectionError, type StartUp, touchApiKey } from '@crm/db';
import { ApiError } from '@crm/domain';
import {
  createGatewayApp,
  type GatewayActivity,
  type GatewaySettings,
  NotReadyError,
  type SharedCounters,
} from '@crm/http';
import type { Express } from 'express';
import type { Logger } from 'pino';
import type { Context } from './context.js';
import { operations } from './operations/index.js';

/** Optional parts of the app that a process adds. */
export interface AppParts {
  /** Metrics and traces; off if absent. */
  readonly activity?: GatewayActivity | undefined;
  /** Where rate limits are counted; by default in this process. */
  readonly counters?: SharedCounters | undefined;
  /** The start-up checks; if absent they count as passed. */
  readonly startUp?: StartUp | undefined;
  /** How long a looked-up key is cached; by default 2,000 ms. */
  readonly keyCacheMaxAgeMs?: number | undefined;
}

/** Builds the inbound gateway's app, without a listener. */
export const createApp = (
  context: Context,
  settings: GatewaySettings,
  logger: Logger,
  parts: AppParts = {},
): Express => {
  const { database } = context;
  const startUpProblem = (): string | null => parts.startUp?.problem ?? null;
  return createGatewayApp({
    gateway: 'inbound',
    withContext: (_request, run) => run(context),
    operations,
    validators: compileOperation,
    authentication: {
      findApiKeysByHash: async (hashes) => {
        // No request is authenticated before the start-up checks pass. /readyz says what they wait for.
        if (startUpProblem() !== null) throw new ApiError('unavailable', { headers: { 'Retry-After': '1' } });
        return findApiKeysByHash(database, hashes);
      },
      cacheMaxAgeMs: parts.keyCacheMaxAgeMs,
      onKeyUsed: (apiKeyId, usedAt) => touchApiKey(database, apiKeyId, usedAt),
    },
    limits: { perMinute: settings.rateLimits, createStore: parts.counters?.createStore },
    readiness: async () => {
      const problem = startUpProblem();
      if (problem !== null) throw new NotReadyError(problem);
      await database.ping();
    },
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
