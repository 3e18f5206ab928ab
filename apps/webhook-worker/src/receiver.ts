import type { Attempt } from '@crm/webhooks';

/** What an attempt says about its event. `deferred`: the receiver asked to wait. `gone`: it wants no more events. */
export type Verdict = 'delivered' | 'deferred' | 'failed' | 'gone';

/** After as many failed first tries of distinct records without a success, the receiver counts as down. */
export const failuresUntilFailing = 5;
const second = 1_000;
const firstProbeDelayMs = 1;
/** So a receiver that is back is noticed after at most a twentieth of the time for which it was down. */
const probeDelayGrowth = 1.05;
const longestProbeDelayMs = 300 * second;

/** Judges an attempt. 429 asks to wait, and so does 503 if it says for how long. */
export const verdictOf = ({ isDelivered, status, retryAfterMs }: Attempt): Verdict => {
  if (isDelivered) return 'delivered';
  if (status === 429 || (status === 503 && retryAfterMs !== null)) return 'deferred';
  return status === 410 ? 'gone' : 'failed';
};

/** What is known about a receiver before a round. */
export interface ReceiverState {
  /** Records whose first try failed since the last success. */
  readonly failures: number;
  /** How long the receiver has been without a success, since the first failure after it; null if it has not failed since. */
  readonly failing_ms: number | null;
}

/**
 * How a receiver is doing, judged by its newest first tries of distinct records. A retry of a record that failed says nothing about the
 * receiver if it fails again, because the receiver may refuse this record only. Any success shows that it works.
 */
export class Receiver {
  readonly #failingMs: number;
  readonly #disableAfterMs: number;
  #failures: number;
  #hasFailed = false;

  /** @param disableAfterMs - how long a receiver may be without any success */
  constructor({ failures, failing_ms: failingMs }: ReceiverState, disableAfterMs: number) {
    this.#failures = failures;
    this.#failingMs = failingMs ?? 0;
    this.#disableAfterMs = disableAfterMs;
  }

  get failures(): number {
    return this.#failures;
  }

  /** Whether the receiver counts as down. Then it gets one new record at a time. */
  get isFailing(): boolean {
    return this.#failures >= failuresUntilFailing;
  }

  /** Whether a try failed in this round. */
  get hasFailed(): boolean {
    return this.#hasFailed;
  }

  /** The time between two new records while the receiver counts as down. */
  get probeDelayMs(): number {
    return Math.min(longestProbeDelayMs, firstProbeDelayMs * probeDelayGrowth ** this.#failures);
  }

  /** Why the endpoint is disabled; null if it is not. */
  get disabledBecause(): string | null {
    const isGivenUp = this.#hasFailed && this.isFailing && this.#failingMs >= this.#disableAfterMs;
    return isGivenUp ? `no delivery succeeded for ${describe(this.#disableAfterMs)}` : null;
  }

  /** Counts a success. */
  delivered(): void {
    this.#failures = 0;
  }

  /** Counts a failed try. */
  failed(isFirstTry: boolean): void {
    this.#hasFailed = true;
    if (isFirstTry) this.#failures += 1;
  }
}

const dayMs = 86_400 * second;

const describe = (ms: number): string => {
  const [amount, unit] = ms < dayMs ? [ms / second, 'second'] : [ms / dayMs, 'day'];
  return `${amount} ${unit}${amount === 1 ? '' : 's'}`;
};
