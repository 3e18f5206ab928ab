import type { ClientRateLimitInfo } from 'express-rate-limit';
import type { CounterStore } from './rate-limit-config.js';

/** The maximum number of counters, so that a flood of addresses cannot fill the memory. The oldest is dropped first. */
const defaultMaxKeys = 100_000;

/** Uses a monotonic clock: if the system clock were set back by an hour, callers would be locked out for that hour. */
class Counter implements ClientRateLimitInfo {
  totalHits = 0;
  readonly #endsAtMs: number;

  constructor(windowMs: number) {
    this.#endsAtMs = performance.now() + windowMs;
  }

  get leftMs(): number {
    return this.#endsAtMs - performance.now();
  }

  get resetTime(): Date {
    return new Date(Date.now() + this.leftMs);
  }
}

/** Counts in fixed windows, in this process only. It needs no timer: an expired counter is replaced at its next use. */
export class MemoryStore implements CounterStore {
  readonly #windowMs: number;
  readonly #maxKeys: number;
  readonly #counters = new Map<string, Counter>();

  constructor(windowMs: number, maxKeys = defaultMaxKeys) {
    this.#windowMs = windowMs;
    this.#maxKeys = maxKeys;
  }

  increment(key: string): ClientRateLimitInfo {
    const known = this.#counters.get(key);
    const counter = known !== undefined && known.leftMs > 0 ? known : this.#begin(key);
    counter.totalHits++;
    return counter;
  }

  #begin(key: string): Counter {
    const counter = new Counter(this.#windowMs);
    this.#counters.delete(key);
    this.#counters.set(key, counter);
    if (this.#counters.size > this.#maxKeys) {
      const [oldest = ''] = this.#counters.keys();
      this.#counters.delete(oldest);
    }
    return counter;
  }
}
