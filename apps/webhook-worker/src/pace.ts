import type { StoredPace } from '@crm/db';

/** The events of one endpoint that are in flight at the same time, each of another record. */
export const maxInFlight = 16;
const second = 1_000;
/** A receiver that asks for a longer wait gets one request after this time. */
const longestWaitMs = 3_600 * second;
/** After several refusals without a success, the wait doubles up to this time, unless the receiver asks for more. */
const longestOwnWaitMs = 300 * second;
/** After a refusal, the rate is this part of what the receiver accepted. */
const rateAfterRefusal = 0.8;
/** By how many requests per second the rate grows with each accepted request; faster from a low rate. */
const growthFrom = (perSecond: number): number => 0.1 + 0.2 / perSecond;
const lowestRate = 0.2;
/** From here on the rate is not limited. */
const unlimitedRate = 500;
/** Starts that are late by less than this are made up for, because timers are not precise. */
const catchUpMs = 100;

const fresh: StoredPace = { parallel: maxInFlight, per_second: null, refusals: 0 };

/**
 * The pace at which a receiver gets requests. A receiver that asks to wait (429, or 503 with `Retry-After`) is not broken. As in TCP, a
 * refusal halves the parallel requests, and each success lets them grow. The rate is limited too, because a receiver that answers at once
 * takes many requests per second from few parallel ones.
 */
export class Pace {
  #parallel: number;
  #perSecond: number | null;
  #refusals: number;
  #inFlight = 0;
  #accepted = 0;
  #beganAtMs: number | null = null;
  #nextAtMs = 0;
  #slowedAtMs = Number.NEGATIVE_INFINITY;
  #waitUntilMs: number | null = null;

  /** @param state - null for a receiver that never asked to wait */
  constructor(state: StoredPace | null) {
    const { parallel, per_second: perSecond, refusals } = state ?? fresh;
    this.#parallel = parallel;
    this.#perSecond = perSecond;
    this.#refusals = refusals;
  }

  /** What to store; null if nothing limits the requests. */
  get state(): StoredPace | null {
    const state = { parallel: this.#parallel, per_second: this.#perSecond, refusals: this.#refusals };
    return state.parallel === maxInFlight && state.per_second === null && state.refusals === 0 ? null : state;
  }

  /** How often the receiver asked to wait since it last answered otherwise. */
  get refusals(): number {
    return this.#refusals;
  }

  /** Until when the receiver asked to wait in this round; null if it did not. */
  get waitUntilMs(): number | null {
    return this.#waitUntilMs;
  }

  /** The milliseconds until the next request may start; infinite until one has ended. */
  delayMs(nowMs: number): number {
    if (this.#inFlight >= Math.floor(this.#parallel)) return Number.POSITIVE_INFINITY;
    return this.#perSecond === null ? 0 : Math.max(0, this.#nextAtMs - nowMs);
  }

  /** Counts a request that starts. */
  start(nowMs: number): void {
    this.#inFlight += 1;
    this.#beganAtMs ??= nowMs;
    if (this.#perSecond !== null)
      this.#nextAtMs = Math.max(this.#nextAtMs, nowMs - catchUpMs) + second / this.#perSecond;
  }

  /** Counts the end of a request. */
  end(): void {
    this.#inFlight -= 1;
  }

  /** The receiver did not deliver, and did not ask to wait. */
  failed(): void {
    this.#refusals = 0;
  }

  /** The receiver accepted a request. */
  accepted(): void {
    this.#accepted += 1;
    this.#refusals = 0;
    this.#parallel = Math.min(maxInFlight, this.#parallel + 1 / this.#parallel);
    if (this.#perSecond === null) return;
    this.#perSecond += growthFrom(this.#perSecond);
    if (this.#perSecond >= unlimitedRate) this.#perSecond = null;
  }

  /**
   * The receiver asked to wait. Requests that were in flight already when it did so the last time do not slow the pace again.
   * @param startedMs - when the refused request started
   * @param askedMs - null if the receiver did not say how long
   */
  refused(startedMs: number, nowMs: number, askedMs: number | null): void {
    if (startedMs >= this.#slowedAtMs) this.#slow(nowMs);
    const ownMs = Math.min(longestOwnWaitMs, second * 2 ** (this.#refusals - 1));
    const waitMs = Math.min(longestWaitMs, Math.max(ownMs, askedMs ?? 0));
    this.#waitUntilMs = Math.max(this.#waitUntilMs ?? 0, nowMs + waitMs);
  }

  #slow(nowMs: number): void {
    const seconds = Math.max(1, (nowMs - (this.#beganAtMs ?? nowMs)) / second);
    this.#slowedAtMs = nowMs;
    this.#refusals += 1;
    this.#parallel = Math.max(1, Math.floor(this.#parallel / 2));
    // A round in which nothing was accepted does not show the rate.
    const perSecond = this.#accepted > 0 ? (this.#accepted / seconds) * rateAfterRefusal : (this.#perSecond ?? 0) / 2;
    if (perSecond > 0) this.#perSecond = Math.max(lowestRate, perSecond);
  }
}
