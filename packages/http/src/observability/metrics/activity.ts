import { ArrivingBodies } from '../../request/arriving-bodies.js';

/** Hits and misses of a cache. */
export interface CacheCounts {
  readonly hits: number;
  readonly misses: number;
}

/** Mutable counts of a cache. */
export class CacheCounter implements CacheCounts {
  hits = 0;
  misses = 0;
}

/** Called for each finished request. `operation` is `none` if no operation matched. */
type OnRequest = (operation: string, status: number, durationMs: number) => void;

/**
 * A gateway's counters and gauges, mostly plain numbers: counting costs a request next to nothing, and the metrics read
 * the numbers on demand.
 */
export class GatewayActivity {
  /** Running requests under `/v1`. */
  inFlight: () => number = () => 0;
  /** Bytes of responses that callers have not read yet, and of pages that are being read from the database. */
  answerBytes: () => number = () => 0;
  /** Requests that wait for events; they do not count as running. */
  waiting: () => number = () => 0;
  /** Requests refused because of overload. */
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
