import { setTimeout as sleep } from 'node:timers/promises';

/** What a response says about the rate limit: how many requests are left, and in how many seconds there are more. */
export interface RateLimitState {
  readonly remaining: number;
  readonly resetSeconds: number;
}

/**
 * Reads the `RateLimit` header of the IETF draft in its two forms, `"name";r=5;t=30` and
 * `limit=10, remaining=5, reset=30`. Where it lists several limits, the tightest counts.
 */
export const readRateLimit = (header: string | null): RateLimitState | undefined => {
  if (header === null) return undefined;
  const remainingAlone = /(?:^|[,;\s])remaining=(\d+)/.exec(header)?.[1];
  const resetAlone = /(?:^|[,;\s])reset=(\d+)/.exec(header)?.[1];
  if (remainingAlone !== undefined && resetAlone !== undefined) {
    return { remaining: Number(remainingAlone), resetSeconds: Number(resetAlone) };
  }
  let tightest: RateLimitState | undefined;
  for (const item of header.split(',')) {
    const remaining = /;\s*r=(\d+)/.exec(item)?.[1];
    const reset = /;\s*t=(\d+)/.exec(item)?.[1];
    if (remaining === undefined || reset === undefined) continue;
    const state = { remaining: Number(remaining), resetSeconds: Number(reset) };
    if (tightest === undefined || state.remaining < tightest.remaining) tightest = state;
  }
  return tightest;
};

/** A gate before every request, shared by all workers, so that one answer of the gateway holds all of them. */
export class RateGate {
  #closedUntilMs = 0;
  #inFlight = 0;
  readonly #onWait: (seconds: number) => void;

  /** `onWait` is called when the gate closes for longer than a moment, so that a user sees why nothing moves. */
  constructor(onWait: (seconds: number) => void = () => undefined) {
    this.#onWait = onWait;
  }

  /** Waits until requests may be sent. Rejects with an `AbortError` when the import stops meanwhile. */
  async enter(signal: AbortSignal): Promise<void> {
    for (let waitMs = this.#waitMs(); waitMs > 0; waitMs = this.#waitMs()) {
      await sleep(waitMs, undefined, { signal });
    }
    this.#inFlight += 1;
  }

  /** Sends a request that has entered. Apart from {@link enter}, since waiting is no part of the time that a request has. */
  readonly fetch: typeof fetch = async (input, init) => {
    let state: RateLimitState | undefined;
    try {
      const response = await fetch(input, init);
      state = readRateLimit(response.headers.get('ratelimit'));
      return response;
    } finally {
      this.leave(state);
    }
  };

  /** Records the end of a request and the limits in its response. */
  leave(state?: RateLimitState): void {
    this.#inFlight -= 1;
    // Requests still under way may not be counted in `remaining` yet, and would take what is left.
    if (state !== undefined && state.remaining <= this.#inFlight) this.closeFor(state.resetSeconds * 1000);
  }

  /** Holds every later request for that long; a longer time set before stays. */
  closeFor(durationMs: number): void {
    const untilMs = performance.now() + durationMs;
    if (untilMs <= this.#closedUntilMs) return;
    const wasOpen = this.#waitMs() <= 0;
    this.#closedUntilMs = untilMs;
    if (wasOpen && durationMs >= 1000) this.#onWait(Math.ceil(durationMs / 1000));
  }

  #waitMs(): number {
    return Math.ceil(this.#closedUntilMs - performance.now());
  }
}
