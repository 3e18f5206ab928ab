import { ArrivingBodies } from '../arriving-bodies.js';

/** How often something kept was found, and how often it had to be fetched. */
export interface CacheCounts {
  readonly hits: number;
  readonly misses: number;
}

/** Counts of a cache that are counted on. */
export class CacheCounter implements CacheCounts {
  hits = 0;
  misses = 0;
}

/** Told of each request that is over. `operation` is `none` where no operation was met. */
export type OnRequest = (operation: string, status: number, durationMs: number) => void;

/**
 * What a gateway knows of its work, mostly plain numbers: counting costs a request next to nothing, and whoever wants the
 * numbers reads them.
 */
export class GatewayActivity {
  /** Requests under `/v1` in work. */
  inFlight: () => number = () => 0;
  /** Bytes of answers that callers have not taken yet. */
  answerBytes: () => number = () => 0;
  /** Requests that wait for events; they are not in work meanwhile. */
  waiting: () => number = () => 0;
  /** Requests refused since the process was overloaded. */
  shed = 0;
  /** Mean delay of the event loop over the last half second, in milliseconds. */
  eventLoopDelayMs: () => number = () => 0;
  /** Requests without a valid key, answered 401 or, past the limit of their address, 429. */
  failedAuthentications = 0;
  /** Requests refused by each limiter, by its name. */
  readonly rateLimited = new Map<string, number>();
  readonly apiKeys = new CacheCounter();
  readonly bodies = new ArrivingBodies();
  onRequest: OnRequest | undefined;
}
