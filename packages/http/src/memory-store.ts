import type { ClientRateLimitInfo, Store } from 'express-rate-limit';

/** Counters kept at once; the oldest window goes first, so that a flood of addresses cannot fill the memory. */
const defaultMaxKeys = 100_000;

interface Counter {
  totalHits: number;
  readonly resetTime: Date;
}

/** Fixed windows in this process. Bounded, and without a timer: a counter past its window is replaced when it is met. */
export class MemoryStore implements Store {
  readonly localKeys = true;
  readonly #windowMs: number;
  readonly #maxKeys: number;
  readonly #counters = new Map<string, Counter>();

  constructor(windowMs: number, maxKeys = defaultMaxKeys) {
    this.#windowMs = windowMs;
    this.#maxKeys = maxKeys;
  }

  increment(key: string): ClientRateLimitInfo {
    const counter = this.#current(key) ?? this.#begin(key);
    counter.totalHits++;
    return counter;
  }

  decrement(key: string): void {
    const counter = this.#current(key);
    if (counter !== undefined && counter.totalHits > 0) counter.totalHits--;
  }

  resetKey(key: string): void {
    this.#counters.delete(key);
  }

  #current(key: string): Counter | undefined {
    const counter = this.#counters.get(key);
    return counter !== undefined && counter.resetTime.getTime() > Date.now() ? counter : undefined;
  }

  #begin(key: string): Counter {
    const counter = { totalHits: 0, resetTime: new Date(Date.now() + this.#windowMs) };
    this.#counters.delete(key);
    this.#counters.set(key, counter);
    if (this.#counters.size > this.#maxKeys) {
      for (const oldest of this.#counters.keys()) {
        this.#counters.delete(oldest);
        break;
      }
    }
    return counter;
  }
}
