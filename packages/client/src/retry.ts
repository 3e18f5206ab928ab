import { CrmApiError, CrmConnectionError } from './errors.js';

/** First upper bound of the random delay; it doubles with every try. */
const baseDelayMs = 250;
const maxDelayMs = 10_000;
/** A gateway that asks for more than this is not waited for. */
const maxRetryAfterMs = 120_000;
/** How long a call waits in all for its own earlier try, whose answer got lost. */
const maxInFlightMs = 60_000;
/** Where the request may have been carried out, and may succeed if it is sent again. */
const passingStatuses: ReadonlySet<number> = new Set([500, 502, 503, 504]);

/** `Retry-After` in milliseconds, whether it came as seconds or as a date; null when there is none. */
export const readRetryAfterMs = (header: string | null): number | null => {
  if (header === null) return null;
  const ms = /^\d+$/.test(header) ? Number(header) * 1_000 : Date.parse(header) - Date.now();
  return Number.isNaN(ms) ? null : Math.max(0, ms);
};

/**
 * How long to wait before the next try: what the gateway asked for, and on top of it any time up to a bound that doubles,
 * so that clients which were refused together do not come back together.
 */
const delayMs = (retries: number, retryAfterMs: number): number =>
  retryAfterMs + Math.random() * Math.min(maxDelayMs, baseDelayMs * 2 ** retries);

/**
 * The least to wait before a request is sent again; null if it must not be: it was refused for good, or it may have been
 * carried out and must not be carried out twice.
 */
const leastWaitMs = (error: unknown, isRepeatable: boolean): number | null => {
  if (error instanceof CrmConnectionError) return isRepeatable ? 0 : null;
  if (!(error instanceof CrmApiError)) return null;
  const { status, code, retryAfterMs } = error;
  if (retryAfterMs !== null && retryAfterMs > maxRetryAfterMs) return null;
  // A statement that took too long would again.
  if (code === 'timeout') return null;
  const isRefused = status === 429 || (status === 503 && retryAfterMs !== null);
  return isRefused || (isRepeatable && passingStatuses.has(status)) ? (retryAfterMs ?? 0) : null;
};

/** Decides after every failed try of one call whether and when the next one follows. */
export class RetryPlan {
  #retries = 0;
  #inFlightUntilMs: number | undefined;
  readonly #maxRetries: number;
  readonly #isRepeatable: boolean;

  /** @param isRepeatable - whether the request may be carried out twice: reads, and writes under an idempotency key */
  constructor(maxRetries: number, isRepeatable: boolean) {
    this.#maxRetries = maxRetries;
    this.#isRepeatable = isRepeatable;
  }

  /** How long to wait before the next try. @throws the error itself, when there is to be none */
  nextDelayMs(error: unknown): number {
    if (error instanceof CrmApiError && error.code === 'idempotency_in_flight' && this.#maxRetries > 0) {
      // An earlier try still runs, and its answer will be this call's. Waiting for it is no failure and costs no retry.
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
      // The caller's own reason is passed on, whatever it is.
      // eslint-disable-next-line @typescript-eslint/prefer-promise-reject-errors
      reject(signal?.reason);
    };
    const timer = setTimeout(() => {
      signal?.removeEventListener('abort', onAbort);
      resolve();
    }, ms);
    signal?.addEventListener('abort', onAbort, { once: true });
  });
