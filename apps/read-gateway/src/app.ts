import { buildOpenApiDocument, compileOperation } from '@crm/contract';
import { findApiKeysByHash, isConnectionError, touchApiKey } from '@crm/db';
import { decodeReadMark, type ReadMark, validationError } from '@crm/domain';
import { type AppParts, createGatewayApp } from '@crm/http';
import type { Express } from 'express';
import type { Logger } from 'pino';
import type { Config } from './config.js';
import type { Context, GatewayContext } from './context.js';
import { operations } from './operations/index.js';

/** The settings of the app. The app itself opens no connections. */
export type AppSettings = Omit<Config, 'databaseUrl' | 'readDatabaseUrl' | 'cursorSecrets' | 'maxConnections'>;

/**
 * The mark in `X-Read-After` that the server must have reached; null if none was sent.
 * @throws ApiError `validation_failed` for a text that no write returned
 */
const readReadAfter = (text: string | undefined): ReadMark | null => {
  if (text === undefined) return null;
  const mark = decodeReadMark(text);
  if (mark === null) throw validationError({ 'X-Read-After': 'must be the X-Read-After of a write, unchanged' });
  return mark;
};

/** Builds the read gateway's app, without a listener. */
export const createApp = (
  context: GatewayContext,
  settings: AppSettings,
  logger: Logger,
  parts: AppParts = {},
): Express => {
  const { primary, reads, cursors, eventPositions } = context;
  return createGatewayApp<Context>({
    ...settings,
    gateway: 'read',
    withContext: ({ caller, header }, run) => {
      const mark = readReadAfter(header('x-read-after'));
      return reads.read(caller.organizationId, mark, (source) => run({ ...source, cursors, eventPositions }));
    },
    operations,
    validators: compileOperation,
    authentication: {
      findApiKeysByHash: (hashes) => reads.readLatest((database) => findApiKeysByHash(database, hashes)),
      onKeyUsed: (apiKeyId, usedAt) => touchApiKey(primary, apiKeyId, usedAt),
    },
    limits: { perMinute: settings.rateLimits, createStore: parts.counters?.createStore },
    startUp: parts.startUp,
    readiness: () => reads.ping(),
    isOutage: isConnectionError,
    logger,
    openApiDocument: buildOpenApiDocument(
      'read',
      operations.map(({ contract }) => contract),
    ),
    activity: parts.activity,
    isTraced: settings.tracing !== undefined,
  });
};
