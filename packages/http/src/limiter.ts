import { createHash } from 'node:crypto';
import { ApiError } from '@crm/domain';
import type { Request, RequestHandler } from 'express';
import type { ClientRateLimitInfo, Options, Store } from 'express-rate-limit';
import { exchangeOf } from './exchange.js';
import type { GatewayActivity } from './metrics/activity.js';
import { rateLimitWindowMs } from './rate-limit-config.js';

/** What one limiter counts, and where. */
export interface LimiterOptions {
  /** Names its policy in the headers. */
  readonly name: string;
  readonly store: Store;
  readonly activity: GatewayActivity;
  /** Whom a request is counted for. */
  readonly keyOf: (request: Request) => string;
  /** Requests in a window; 0 is no limit. */
  readonly limitOf: (request: Request) => number;
  /** Called for each refused request, with what it was counted for and when that window ends, by `performance.now()`. */
  readonly onRefused?: (key: string, untilMs: number) => void;
}

const windowSeconds = rateLimitWindowMs / 1000;
const maxPartitionKeys = 10_000;
const partitionKeyLength = 12;
const partitionKeys = new Map<string, string>();

/** Tells counters of one policy apart without telling whose they are: the start of a digest, as base64. */
const partitionKeyOf = (key: string): string => {
  const known = partitionKeys.get(key);
  if (known !== undefined) return known;
  const digest = createHash('sha256').update(key).digest('hex').slice(0, partitionKeyLength);
  const partitionKey = Buffer.from(digest).toString('base64');
  if (partitionKeys.size >= maxPartitionKeys) partitionKeys.clear();
  partitionKeys.set(key, partitionKey);
  return partitionKey;
};

/** Several limiters of one response add to each other instead of overwriting. */
const addTo = (headers: Record<string, string>, header: string, item: string): void => {
  const items = headers[header];
  headers[header] = items === undefined ? item : `${items}, ${item}`;
};

/**
 * One limiter, with `RateLimit-Policy` and `RateLimit` as in the eighth draft of the IETF. It takes the stores of
 * express-rate-limit; that package's own middleware does the same for 15 µs of a small request's 50, this one for 2.
 */
export const createLimiter = ({ name, store, activity, keyOf, limitOf, onRefused }: LimiterOptions): RequestHandler => {
  activity.rateLimited.set(name, 0);
  // Stores look at nothing else.
  void store.init?.({ windowMs: rateLimitWindowMs } as Options);
  return (request, _response, next) => {
    const limit = limitOf(request);
    if (limit === 0) {
      next();
      return;
    }
    const key = keyOf(request);
    const judge = ({ totalHits, resetTime }: ClientRateLimitInfo): void => {
      const { headers } = exchangeOf(request);
      const seconds = resetTime === undefined ? windowSeconds : Math.ceil((resetTime.getTime() - Date.now()) / 1000);
      const left = Math.max(0, limit - totalHits);
      addTo(headers, 'RateLimit', `"${name}"; r=${left}; t=${Math.max(0, seconds)}`);
      addTo(headers, 'RateLimit-Policy', `"${name}"; q=${limit}; w=${windowSeconds}; pk=:${partitionKeyOf(key)}:`);
      if (totalHits <= limit) {
        next();
        return;
      }
      onRefused?.(key, performance.now() + seconds * 1000);
      activity.rateLimited.set(name, (activity.rateLimited.get(name) ?? 0) + 1);
      next(new ApiError('rate_limited', { headers: { 'Retry-After': String(Math.max(1, seconds)) } }));
    };
    const counted = store.increment(key);
    // What is counted in memory is known at once: a promise would only make the request wait for its turn.
    if (counted instanceof Promise) counted.then(judge).catch(next);
    else judge(counted);
  };
};
