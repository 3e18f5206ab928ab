/** How long a claim of an endpoint lasts after the longest attempt. */
const claimBeyondAttemptMs = 15_000;
/** For differences between the clocks of the process and of the database. */
const marginMs = 2_000;

/** How long a claim lasts. */
export const claimMsFor = (attemptTimeoutMs: number): number => attemptTimeoutMs + claimBeyondAttemptMs;

/**
 * A worker's claim of an endpoint. An event starts only if its attempt ends before the claim can end. So another worker, which claims the
 * endpoint when this one no longer reaches the database, never sends beside it.
 */
export class Lease {
  #extendedAtMs: number;

  /** @param askedAtMs - when the claim was asked for, which is before the database granted it */
  constructor(askedAtMs: number) {
    this.#extendedAtMs = askedAtMs;
  }

  /** Notes that the claim was extended. */
  extend(askedAtMs: number): void {
    this.#extendedAtMs = Math.max(this.#extendedAtMs, askedAtMs);
  }

  /** Whether an attempt may start. */
  mayStart(nowMs: number): boolean {
    return nowMs < this.#extendedAtMs + claimBeyondAttemptMs - marginMs;
  }
}
