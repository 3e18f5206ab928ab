import type { IncomingMessage } from 'node:http';
import type { OperationContract } from '@crm/contract';
import type { ApiKeyRecord } from './keys/api-key-record.js';
import type { OperationRequest } from './operation.js';
import type { RouteMatch } from './server/route-table.js';

/** The validated input of any operation. */
export type OperationInput = Pick<OperationRequest<OperationContract>, 'params' | 'query' | 'body' | 'itemErrors'>;

/** The state of one request and its response. Each middleware reads what earlier ones wrote. */
export class Exchange {
  readonly startedAtMs = performance.now();
  match: RouteMatch | undefined;
  apiKey: ApiKeyRecord | undefined;
  /** Looks the key up again. @throws ApiError if it is no longer valid for the operation */
  confirmKey: (() => Promise<void>) | undefined;
  input: OperationInput | undefined;
  /** Gives back the request's place among the requests whose key is being looked up. */
  leaveArrivals: (() => void) | undefined;
  /** Stops counting the request as in flight. */
  leaveInFlight: (() => void) | undefined;
  /** How long the request has waited for events, in milliseconds. */
  waitedMs = 0;
  /**
   * Headers for any response to this request. They are collected here and written at once: setting them one by one
   * would make Node store, look up and check each of them again.
   */
  readonly headers: Record<string, string> = {};
  /** The cause of a 5xx, for the log line. */
  failure: unknown;
  /** The trace of the request, if tracing is on. */
  traceId: string | undefined;

  readonly #releases: (() => void)[] = [];
  readonly #closeListeners = new Set<() => void>();
  #parts = 0;
  #isClosed = false;

  constructor(
    readonly requestId: string,
    /** The path of the request target, without the query. */
    readonly path: string,
    /** The text after the first `?` of the request target, `''` without one. */
    readonly queryText: string,
  ) {}

  /** Calls `release` once no work of the request is running and either the response is sent or the caller is gone. */
  whenOver(release: () => void): void {
    this.#releases.push(release);
    this.#releaseIfOver();
  }

  /**
   * Runs a part of the request's work. If the caller hangs up, the request still holds its resources until the part
   * ends.
   */
  async work(part: () => Promise<void>): Promise<void> {
    this.#parts += 1;
    try {
      await part();
    } finally {
      this.#parts -= 1;
      this.#releaseIfOver();
    }
  }

  /** Calls `listener` when the response is sent or the caller is gone. @returns a function that removes the listener */
  onceClosed(listener: () => void): () => void {
    this.#closeListeners.add(listener);
    return () => this.#closeListeners.delete(listener);
  }

  /** Whether the response is sent or the caller is gone. */
  get isClosed(): boolean {
    return this.#isClosed;
  }

  /** Records that the response is sent or the caller is gone. */
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

/** The key of an authenticated request. @throws Error before authentication. */
export const callerOf = (request: IncomingMessage): ApiKeyRecord => assertPresent(exchangeOf(request).apiKey, 'apiKey');

/**
 * Returns a value that an earlier middleware must have written. @throws Error if the middleware is in the wrong order.
 */
export const assertPresent = <T>(value: T | undefined, name: string): T => {
  if (value === undefined) throw new Error(`${name} was read before it was written`);
  return value;
};
