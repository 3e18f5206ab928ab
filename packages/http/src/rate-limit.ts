import type { Gateway } from '@crm/contract';
import { ApiError } from '@crm/domain';
import type { Request, RequestHandler } from 'express';
import { ipKeyGenerator, rateLimit, type RateLimitInfo, type Store } from 'express-rate-limit';
import type { Logger } from 'pino';
import type { ApiKeyRecord } from './api-key-record.js';
import { exchangeOf, present } from './exchange.js';
import { FallbackStore, type SharedStoreHealth } from './fallback-store.js';
import { MemoryStore } from './memory-store.js';
import type { GatewayActivity } from './metrics/activity.js';
import {
  organizationFactor,
  rateLimitGroupOf,
  rateLimitWindowMs,
  type RateLimitGroup,
  type RateLimitOptions,
  type RateLimits,
} from './rate-limit-config.js';

const apiKeyOf = (request: Request): ApiKeyRecord => present(exchangeOf(request).apiKey, 'apiKey');

/** Requests a minute of a key; 0 is no limit. */
export const keyLimitOf = (record: ApiKeyRecord, group: RateLimitGroup, limits: RateLimits): number =>
  record.limits[group] ?? limits[group];

/**
 * Requests a minute of an organization; 0 is no limit. A key that was given more than usual lifts the bound of its
 * organization with it, for its own requests: else the key's limit could never be reached.
 */
export const organizationLimitOf = (record: ApiKeyRecord, group: RateLimitGroup, limits: RateLimits): number => {
  const own = record.organizationLimits?.[group];
  if (own !== undefined) return own;
  const keyLimit = keyLimitOf(record, group, limits);
  return keyLimit === 0 || limits[group] === 0 ? 0 : organizationFactor * Math.max(keyLimit, limits[group]);
};

const secondsUntilReset = (request: Request): number => {
  const { rateLimit: info } = request as Request & { rateLimit?: RateLimitInfo };
  const resetMs = info?.resetTime?.getTime() ?? Date.now() + rateLimitWindowMs;
  return Math.max(1, Math.ceil((resetMs - Date.now()) / 1000));
};

/** What all limiters of a gateway are made with. */
export interface LimiterParts {
  readonly options: RateLimitOptions;
  readonly activity: GatewayActivity;
  readonly logger: Logger;
  /** One for all of them, so that what one meets of the shared store the others know. */
  readonly health: SharedStoreHealth;
}

const createStore = (name: string, { options, health }: LimiterParts): Store => {
  const shared = options.createStore?.(name);
  return shared === undefined
    ? new MemoryStore(rateLimitWindowMs)
    : new FallbackStore(shared, rateLimitWindowMs, health);
};

/**
 * One limiter. Its policy stands under its own name in `RateLimit-Policy` and `RateLimit`, so that several limiters of one
 * response add to each other instead of overwriting.
 */
const createLimiter = (
  name: string,
  keyOf: (request: Request) => string,
  limitOf: (request: Request) => number,
  parts: LimiterParts,
): RequestHandler => {
  const { activity, logger } = parts;
  activity.rateLimited.set(name, 0);
  return rateLimit({
    windowMs: rateLimitWindowMs,
    identifier: name,
    standardHeaders: 'draft-8',
    legacyHeaders: false,
    keyGenerator: keyOf,
    limit: limitOf,
    skip: (request) => limitOf(request) === 0,
    retryAfter: secondsUntilReset,
    handler: (_request, _response, next) => {
      activity.rateLimited.set(name, (activity.rateLimited.get(name) ?? 0) + 1);
      next(new ApiError('rate_limited'));
    },
    store: createStore(name, parts),
    passOnStoreError: true,
    logger: {
      warn: (error, text) => logger.warn({ err: error }, text),
      error: (error, text) => logger.error({ err: error }, text),
    },
    // Its checks are for set-ups that this one rules out, and each would print to the console.
    validate: false,
  });
};

/** Counts failed authentications by address (IPv6: by /56); the only limiter that callers without a key meet. */
export const limitFailedAuthentication = (parts: LimiterParts): RequestHandler =>
  createLimiter(
    'failed-auth',
    (request) => (request.ip === undefined ? 'unknown' : ipKeyGenerator(request.ip)),
    () => parts.options.perMinute.failedAuth,
    parts,
  );

const inTurn =
  (first: RequestHandler, second: RequestHandler): RequestHandler =>
  (request, response, next) => {
    void first(request, response, (error?: unknown) => {
      if (error === undefined) void second(request, response, next);
      else next(error);
    });
  };

/**
 * Counts requests by key, then by organization, in the group of their operation. A request to no operation counts as the
 * gateway's plainest one, so that guessing at paths is limited too.
 */
export const limitRequests = (gateway: Gateway, parts: LimiterParts): RequestHandler => {
  const { perMinute } = parts.options;
  const limiters = new Map<RateLimitGroup, RequestHandler>();
  for (const group of ['list', 'search', 'inbound', 'bulk'] as const) {
    const byKey = createLimiter(
      `key-${group}`,
      (request) => apiKeyOf(request).id,
      (request) => keyLimitOf(apiKeyOf(request), group, perMinute),
      parts,
    );
    const byOrganization = createLimiter(
      `org-${group}`,
      (request) => apiKeyOf(request).organizationId,
      (request) => organizationLimitOf(apiKeyOf(request), group, perMinute),
      parts,
    );
    limiters.set(group, inTurn(byKey, byOrganization));
  }
  const plainest = gateway === 'read' ? 'list' : 'inbound';
  return (request, response, next) => {
    const { match } = exchangeOf(request);
    const group = match?.kind === 'found' ? rateLimitGroupOf(match.route.contract.group) : plainest;
    void present(limiters.get(group), group)(request, response, next);
  };
};
