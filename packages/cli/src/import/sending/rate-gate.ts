import { setTimeout as sleep } from 'node:timers/promises';

/** The rate limit in a response: the remaining requests, and the seconds until it is reset. */
export interface RateLimitState {
  readonly remaining: number;
  readonly resetSeconds: number;
}

/**
 * Reads the `RateLimit` header as the gateways send it: `"name"; r=5; t=30`. Of several limits, the one with the fewest
 * remaining requests counts.
 */
export const readRateLimit = (header: string | null): RateLimitState | undefined => {
  if (header === null) return undefined;
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

/** A gate before every request. All workers share it, so that one response of the gateway can pause all of them. */
export class RateGate {
  #closedUntilMs = 0;
  #inFlight = 0;
  readonly #onWait: (seconds: number) => void;

  /** `onWait` is called when the gate closes for a second or more, to show the user the reason for the wait. */
  constructor(onWait: (seconds: number) => void = () => undefined) {
    this.#onWait = onWait;
  }

  /** Waits until requests may be sent. Rejects with an `AbortError` if the import stops first. */
  async enter(signal: AbortSignal): Promise<void> {
    for (let waitMs = this.#waitMs(); waitMs > 0; waitMs = this.#waitMs()) {
      await sleep(waitMs, undefined, { signal });
    }
    this.#inFlight += 1;
  }

  /** Records the end of a request and the limits in its response. */
  leave(state?: RateLimitState): void {
    this.#inFlight -= 1;
    // Running requests may not be counted in `remaining` yet, and may use it up.
    if (state !== undefined && state.remaining <= this.#inFlight) this.closeFor(state.resetSeconds * 1000);
  }

  /** Pauses all later requests for this duration, or until an earlier pause ends if that is later. */
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
