import { CrmApiError, CrmConnectionError } from './errors.js';

/** First upper bound of the random delay; it doubles with every try. */
const baseDelayMs = 250;
const maxDelayMs = 10_000;
/** The longest `Retry-After` that a call waits for. */
const maxRetryAfterMs = 120_000;
/** How long a call waits in total for its own earlier try, whose response got lost. */
const maxInFlightMs = 60_000;
/** Statuses after which the request may have been executed, and a retry may succeed. */
const passingStatuses: ReadonlySet<number> = new Set([500, 502, 503, 504]);

/** `Retry-After` (seconds or a date) in milliseconds; null if absent. */
export const readRetryAfterMs = (header: string | null): number | null => {
  if (header === null) return null;
  const ms = /^\d+$/.test(header) ? Number(header) * 1_000 : Date.parse(header) - Date.now();
  return Number.isNaN(ms) ? null : Math.max(0, ms);
};

/**
 * The wait before the next try: the requested time plus a random time up to a bound that doubles, so that clients
 * that were refused together do not retry together.
 */
const delayMs = (retries: number, retryAfterMs: number): number =>
  retryAfterMs + Math.random() * Math.min(maxDelayMs, baseDelayMs * 2 ** retries);

/**
 * The shortest wait before a retry. Null if there must be no retry: the refusal is permanent, or the request may have been executed and
 * must not run twice.
 */
const leastWaitMs = (error: unknown, isRepeatable: boolean): number | null => {
  if (error instanceof CrmConnectionError) return isRepeatable ? 0 : null;
  if (!(error instanceof CrmApiError)) return null;
  const { status, code, retryAfterMs } = error;
  if (retryAfterMs !== null && retryAfterMs > maxRetryAfterMs) return null;
  // Its `errors` say what to change: the same request would time out again.
  if (code === 'timeout' && retryAfterMs === null) return null;
  const isRefused = status === 429 || (status === 503 && retryAfterMs !== null);
  return isRefused || (isRepeatable && passingStatuses.has(status)) ? (retryAfterMs ?? 0) : null;
};

/** Decides after each failed try of a call whether and when to retry. */
export class RetryPlan {
  #retries = 0;
  #inFlightUntilMs: number | undefined;
  readonly #maxRetries: number;
  readonly #isRepeatable: boolean;

  /** @param isRepeatable - whether the request may run twice: reads, and writes with an idempotency key */
  constructor(maxRetries: number, isRepeatable: boolean) {
    this.#maxRetries = maxRetries;
    this.#isRepeatable = isRepeatable;
  }

  /** The wait before the next try. @throws the error itself if there must be no retry */
  nextDelayMs(error: unknown): number {
    if (error instanceof CrmApiError && error.code === 'idempotency_in_flight' && this.#maxRetries > 0) {
      // An earlier try is still running, and its response will be the response of this call. Waiting for it does not count as a
      // retry.
      this.#inFlightUntilMs ??= Date.now() + maxInFlightMs;
      if (Date.now() < this.#inFlightUntilMs) return delayMs(0, error.retryAfterMs ?? 1_000);
    }
    const waitMs = leastWaitMs(error, this.#isRepeatable);
    if (waitMs === null || this.#retries >= this.#maxRetries) throw error;
    return delayMs(this.#retries++, waitMs);
  }
}

/** Waits. @throws the signal's reason when it is aborted meanwhile */
export const sleep = (ms: number, signal: AbortSignal | undefined): Promise<void> =>
  new Promise((resolve, reject) => {
    signal?.throwIfAborted();
    const onAbort = (): void => {
      clearTimeout(timer);
      // Passes on the caller's own reason, of any type.
      // eslint-disable-next-line @typescript-eslint/prefer-promise-reject-errors
      reject(signal?.reason);
    };
    const timer = setTimeout(() => {
      signal?.removeEventListener('abort', onAbort);
      resolve();
    }, ms);
    signal?.addEventListener('abort', onAbort, { once: true });
  });
