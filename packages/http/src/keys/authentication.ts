import type { OperationContract } from '@crm/contract';
import { ApiError, Failure, hashApiKey, parseApiKey, validationError } from '@crm/domain';
import type { Request, RequestHandler, Response } from 'express';
import type { Logger } from 'pino';
import type { ApiKeyRecord, AuthenticationOptions } from './api-key-record.js';
import { exchangeOf } from '../exchange.js';
import { ApiKeyCache } from './key-cache.js';
import type { CacheCounter, GatewayActivity } from '../observability/metrics/activity.js';
import type { FailureLimiter } from '../limits/rate-limit.js';
import { sentTwice } from '../request/head.js';
import type { RouteMatch } from '../server/route-table.js';

const isInForce = (record: ApiKeyRecord, nowMs: number): boolean =>
  record.revokedAt === null && (record.expiresAt === null || record.expiresAt.getTime() > nowMs);

const allows = (
  { allowedOperations }: Pick<ApiKeyRecord, 'allowedOperations'>,
  { id, group }: Pick<OperationContract, 'id' | 'group'>,
): boolean => allowedOperations.includes(group) || allowedOperations.includes(id);

/**
 * Checks that a key may also run another operation, whose records the response includes.
 * @throws ApiError `unauthorized`
 */
export const requireOperation = (
  caller: Pick<ApiKeyRecord, 'allowedOperations'>,
  contract: Pick<OperationContract, 'id' | 'group'>,
): void => {
  if (!allows(caller, contract)) throw unauthorized();
};

/** Whether the key allows the operation. Without an operation (unknown path or wrong method), any valid key passes. */
const isAllowed = (record: ApiKeyRecord, match: RouteMatch | undefined): boolean => {
  if (match?.kind !== 'found') return true;
  return allows(record, match.route.contract);
};

const unauthorized = (): ApiError => new ApiError('unauthorized', { headers: { 'WWW-Authenticate': 'ApiKey' } });

/** Looks up the key of a request. @throws ApiError `validation_failed` for a key that was sent twice, whatever it is */
const createKeyFinder = (
  options: AuthenticationOptions,
  isPastLimit: (request: Request) => boolean,
  counter: CacheCounter,
): ((request: Request) => Promise<ApiKeyRecord | null>) => {
  const cache = new ApiKeyCache(options.findApiKeysByHash, counter);
  return async (request) => {
    const header = request.headers['x-api-key'];
    if ((request.headersDistinct['x-api-key']?.length ?? 0) > 1) throw validationError({ 'x-api-key': sentTwice });
    const key = typeof header === 'string' ? parseApiKey(header) : null;
    if (key === null) return null;
    try {
      return await cache.find(hashApiKey(key), isPastLimit(request));
    } catch (error) {
      if (error instanceof ApiError || error instanceof Failure) throw error;
      throw new ApiError('unavailable', { cause: error });
    }
  };
};

const reportEveryMs = 60_000;
const maxReportedKeys = 10_000;

/** Reports the use of a key, at most once a minute per key. No request waits or fails because of it. */
const createKeyUsageReporter = (
  onKeyUsed: AuthenticationOptions['onKeyUsed'],
  logger: Logger,
  isOutage: (error: unknown) => boolean,
): ((apiKeyId: string) => void) => {
  if (onKeyUsed === undefined) return () => undefined;
  const reportedAtMs = new Map<string, number>();
  const report = async (apiKeyId: string): Promise<void> => {
    try {
      await onKeyUsed(apiKeyId, new Date());
    } catch (error) {
      // An outage is logged once, not for every key.
      const level = isOutage(error) ? 'debug' : 'warn';
      logger[level]({ err: error, api_key_id: apiKeyId }, 'the use of a key could not be recorded');
    }
  };
  return (apiKeyId) => {
    const now = performance.now();
    const last = reportedAtMs.get(apiKeyId);
    if (last !== undefined && now - last < reportEveryMs) return;
    if (reportedAtMs.size >= maxReportedKeys) reportedAtMs.clear();
    reportedAtMs.set(apiKeyId, now);
    void report(apiKeyId);
  };
};

/**
 * Lets a request pass if its key is valid and allows the operation. Missing, malformed, unknown, revoked, expired and
 * out-of-scope keys all get the same 401. All of them except missing and malformed keys run the same statements.
 *
 * Failures are counted by address. Past the limit, further failures from the address get 429. Requests with a valid key
 * still pass. If their key is not cached, its lookup shares a statement with other lookups.
 */
export const authenticate = (
  options: AuthenticationOptions,
  failures: FailureLimiter,
  activity: GatewayActivity,
  logger: Logger,
  isOutage: (error: unknown) => boolean,
): RequestHandler => {
  const findKey = createKeyFinder(options, failures.isPastLimit, activity.apiKeys);
  const reportUse = createKeyUsageReporter(options.onKeyUsed, logger, isOutage);
  const find = async (request: Request): Promise<ApiKeyRecord | null> => {
    const record = await findKey(request);
    const isValid = record !== null && isInForce(record, Date.now()) && isAllowed(record, exchangeOf(request).match);
    return isValid ? record : null;
  };
  const refuse = (request: Request, response: Response, next: (error: unknown) => void): void => {
    activity.failedAuthentications++;
    void failures.limit(request, response, (error?: unknown) => {
      next(error ?? unauthorized());
    });
  };
  return async (request, response, next) => {
    const exchange = exchangeOf(request);
    const record = await find(request);
    if (record === null) {
      refuse(request, response, next);
      return;
    }
    exchange.apiKey = record;
    exchange.confirmKey = async () => {
      if ((await find(request)) === null) throw unauthorized();
    };
    reportUse(record.id);
    next();
  };
};
