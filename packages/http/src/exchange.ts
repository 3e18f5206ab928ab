import type { IncomingMessage } from 'node:http';
import type { OperationContract } from '@crm/contract';
import type { ApiKeyRecord } from './api-key-record.js';
import type { OperationRequest } from './operation.js';
import type { RouteMatch } from './route-table.js';

/** The validated input of an operation, whichever it is. */
export type OperationInput = Pick<OperationRequest<OperationContract>, 'params' | 'query' | 'body' | 'itemErrors'>;

/** What one request has become so far; every middleware reads what those before it wrote. */
export class Exchange {
  readonly startedAtMs = performance.now();
  match: RouteMatch | undefined;
  apiKey: ApiKeyRecord | undefined;
  input: OperationInput | undefined;
  /** Gives up the room among the requests whose key is being looked up. */
  leaveArrivals: (() => void) | undefined;
  /** Gives up the place among the requests in work. */
  leavePlace: (() => void) | undefined;
  /** How long the request has waited for news, in milliseconds. */
  waitedMs = 0;
  /**
   * Headers of the answer, whatever it will be. Gathered here, they go into the head at once: set one by one, every header of
   * the answer would be stored, looked up and checked again.
   */
  readonly headers: Record<string, string> = {};
  /** The error behind a 5xx, for the log line. */
  failure: unknown;
  /** The trace of the request, where requests are traced. */
  traceId: string | undefined;

  readonly #releases: (() => void)[] = [];
  readonly #closeListeners = new Set<() => void>();
  #parts = 0;
  #isClosed = false;

  constructor(
    readonly requestId: string,
    /** The path of the request target, without the query. */
    readonly path: string,
    /** The text behind the first `?` of the request target, `''` without one. */
    readonly queryText: string,
  ) {}

  /** Calls `release` when the request is over: its answer is taken or its caller gone, and nothing works on it any more. */
  whenOver(release: () => void): void {
    this.#releases.push(release);
    this.#releaseIfOver();
  }

  /** Does a part of the work. A caller that hangs up meanwhile is gone, but what it asked for still takes time and memory. */
  async work(part: () => Promise<void>): Promise<void> {
    this.#parts += 1;
    try {
      await part();
    } finally {
      this.#parts -= 1;
      this.#releaseIfOver();
    }
  }

  /** Calls `listener` when the answer is taken or the caller gone. @returns what to call to stop that */
  onceClosed(listener: () => void): () => void {
    this.#closeListeners.add(listener);
    return () => this.#closeListeners.delete(listener);
  }

  /** Notes that the answer is taken or the caller gone. */
  close(): void {
    this.#isClosed = true;
    for (const listener of [...this.#closeListeners]) listener();
    this.#releaseIfOver();
  }

  #releaseIfOver(): void {
    if (!this.#isClosed || this.#parts > 0) return;
    for (const release of this.#releases.splice(0)) release();
  }
}

const exchangeKey = Symbol('exchange');

interface WithExchange {
  [exchangeKey]?: Exchange;
}

/** Ties a new exchange to its request. */
export const setExchange = (request: IncomingMessage, exchange: Exchange): void => {
  (request as IncomingMessage & WithExchange)[exchangeKey] = exchange;
};

/** The exchange of a request. @throws Error before {@link setExchange}. */
export const exchangeOf = (request: IncomingMessage): Exchange => {
  const exchange = (request as IncomingMessage & WithExchange)[exchangeKey];
  if (exchange === undefined) throw new Error('The request has no exchange yet');
  return exchange;
};

/** The key of a request that is authenticated. @throws Error before it is. */
export const callerOf = (request: IncomingMessage): ApiKeyRecord => present(exchangeOf(request).apiKey, 'apiKey');

/** What an earlier middleware must have written. @throws Error when it has not: the order of the middleware is wrong. */
export const present = <T>(value: T | undefined, name: string): T => {
  if (value === undefined) throw new Error(`${name} was read before it was written`);
  return value;
};
