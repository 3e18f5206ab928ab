import { type Gateway, limitedGroups } from '@crm/contract';
import { ApiError } from '@crm/domain';
import type { Request, RequestHandler } from 'express';
import { ipKeyGenerator, rateLimit } from 'express-rate-limit';
import type { ApiKeyRecord } from '../keys/api-key-record.js';
import { callerOf, exchangeOf, assertPresent } from '../exchange.js';
import type { GatewayActivity } from '../observability/metrics/activity.js';
import { withoutPort } from '../request/client-address.js';
import { FallbackStore, type SharedStoreHealth } from './fallback-store.js';
import { MemoryStore } from './memory-store.js';
import {
  type CounterStore,
  organizationFactor,
  rateLimitGroupOf,
  type RateLimitGroup,
  type RateLimitOptions,
  type RateLimits,
  rateLimitWindowMs,
} from './rate-limit-config.js';

/** What all limiters of a gateway share. */
export interface LimiterParts {
  readonly options: RateLimitOptions;
  readonly activity: GatewayActivity;
  /** Shared by all limiters, so that a failure found by one applies to all. */
  readonly health: SharedStoreHealth;
}

const createStore = (name: string, { options, health }: LimiterParts): CounterStore => {
  const shared = options.createStore?.(name);
  return shared === undefined
    ? new MemoryStore(rateLimitWindowMs)
    : new FallbackStore(shared, rateLimitWindowMs, health);
};

/** The settings of one limiter. */
interface LimiterOptions {
  /** The key under which a request is counted. */
  readonly keyOf: (request: Request) => string;
  /** Requests per window; 0 means no limit. */
  readonly limitOf: (request: Request) => number;
  /** Called for each refused request with its key and the end of the window, by `performance.now()`. */
  readonly onRefused?: (key: string, untilMs: number) => void;
}

/** The middleware takes back and resets counts only for options that no limiter uses. */
const unused = (): void => undefined;

/**
 * Creates one limiter, which sends the headers `RateLimit-Policy` and `RateLimit` as in draft 8 of the IETF.
 * @param name - names the policy in the headers, and the store
 */
const createLimiter = (
  name: string,
  parts: LimiterParts,
  { keyOf, limitOf, onRefused }: LimiterOptions,
): RequestHandler => {
  const { rateLimited } = parts.activity;
  const store = createStore(name, parts);
  rateLimited.set(name, 0);
  return rateLimit({
    windowMs: rateLimitWindowMs,
    identifier: name,
    standardHeaders: 'draft-8',
    legacyHeaders: false,
    keyGenerator: keyOf,
    skip: (request) => limitOf(request) === 0,
    limit: limitOf,
    store: {
      init: (options) => store.init?.(options),
      increment: (key) => store.increment(key),
      decrement: unused,
      resetKey: unused,
    },
    // The checks at run time look for mistakes in a set-up, which the tests do.
    validate: false,
    handler: (request, response, next) => {
      // The middleware has set it to the seconds that are left, which may be none.
      const seconds = Math.max(1, Number(response.getHeader('Retry-After')));
      onRefused?.(keyOf(request), performance.now() + seconds * 1000);
      rateLimited.set(name, (rateLimited.get(name) ?? 0) + 1);
      next(new ApiError('rate_limited', { headers: { 'Retry-After': String(seconds) } }));
    },
  });
};

/** Requests a minute of a key; 0 is no limit. */
const keyLimitOf = (record: ApiKeyRecord, group: RateLimitGroup, limits: RateLimits): number =>
  record.limits[group] ?? limits[group];

/**
 * Requests a minute of an organization; 0 means no limit. A key with a higher limit raises the limit of its
 * organization for its own requests, unless the organization has a limit of its own. Otherwise the key could never
 * reach its limit.
 */
const organizationLimitOf = (record: ApiKeyRecord, group: RateLimitGroup, limits: RateLimits): number => {
  const own = record.organizationLimits?.[group];
  if (own !== undefined) return own;
  const keyLimit = keyLimitOf(record, group, limits);
  return keyLimit === 0 || limits[group] === 0 ? 0 : organizationFactor * Math.max(keyLimit, limits[group]);
};

/** The limit of failed authentications. */
export interface FailureLimiter {
  /** Counts a failed authentication, and refuses it past the limit. */
  readonly limit: RequestHandler;
  /** Whether this process has refused the request's address in the current window. */
  readonly isPastLimit: (request: Request) => boolean;
}

const addressOf = ({ ip }: Request): string => (ip === undefined ? 'unknown' : ipKeyGenerator(withoutPort(ip)));
/** The maximum number of addresses past the limit that are remembered, so that a flood cannot fill the memory. */
const maxAddresses = 100_000;

/** Counts failed authentications by address (IPv6: by /56); the only limiter for callers without a key. */
export const limitFailedAuthentication = (parts: LimiterParts): FailureLimiter => {
  const untilMs = new Map<string, number>();
  const limit = createLimiter('failed-auth', parts, {
    keyOf: addressOf,
    limitOf: () => parts.options.perMinute.failedAuth,
    onRefused: (address, endMs) => {
      if (untilMs.size >= maxAddresses) untilMs.clear();
      untilMs.set(address, endMs);
    },
  });
  const isPastLimit = (request: Request): boolean =>
    untilMs.size > 0 && (untilMs.get(addressOf(request)) ?? 0) > performance.now();
  return { limit, isPastLimit };
};

const inTurn =
  (first: RequestHandler, second: RequestHandler): RequestHandler =>
  (request, response, next) => {
    first(request, response, (error?: unknown) => {
      if (error === undefined) second(request, response, next);
      else next(error);
    });
  };

/**
 * Counts requests by key, then by organization, in the group of their operation. A request without an operation counts
 * as `list` in the read gateway and as `inbound` in the other, so that guessing paths is limited too.
 */
export const limitRequests = (gateway: Gateway, parts: LimiterParts): RequestHandler => {
  const { perMinute } = parts.options;
  const limiters = new Map<RateLimitGroup, RequestHandler>();
  for (const group of limitedGroups) {
    const limitKey = createLimiter(`key-${group}`, parts, {
      keyOf: (request) => callerOf(request).id,
      limitOf: (request) => keyLimitOf(callerOf(request), group, perMinute),
    });
    const limitOrganization = createLimiter(`org-${group}`, parts, {
      keyOf: (request) => callerOf(request).organizationId,
      limitOf: (request) => organizationLimitOf(callerOf(request), group, perMinute),
    });
    limiters.set(group, inTurn(limitKey, limitOrganization));
  }
  const plainest = gateway === 'read' ? 'list' : 'inbound';
  return (request, response, next) => {
    const { match } = exchangeOf(request);
    const group = match?.kind === 'found' ? rateLimitGroupOf(match.route.contract) : plainest;
    assertPresent(limiters.get(group), group)(request, response, next);
  };
};
