/** First upper bound of the random delay; it doubles with every try. */
const baseDelayMs = 250;
const maxDelayMs = 10_000;
/** A gateway that asks for more than this is not waited for. */
export const maxRetryAfterMs = 120_000;

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
export const delayMs = (tries: number, retryAfterMs: number): number =>
  retryAfterMs + Math.random() * Math.min(maxDelayMs, baseDelayMs * 2 ** tries);

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
