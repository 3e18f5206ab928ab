import type { ClientRateLimitInfo, Options } from 'express-rate-limit';
import type { Logger } from 'pino';
import { within } from '../within.js';
import { MemoryStore } from './memory-store.js';
import type { CounterStore } from './rate-limit-config.js';
import { OutageLog, type OutageTexts } from '../observability/outage-log.js';

/** A shared store that is slower than this counts as failed: rate limits must not delay requests. */
const answerWithinMs = 250;
/** The limit for preparing the store. It is longer, because no request waits for it and a starting process is busy. */
const readyWithinMs = 2_000;
/** The pause after a failure of the shared store. */
const retryAfterMs = 1_000;

/** The probe counts under this key, because a full store can be prepared and still refuse to count. */
const probeKey = 'probe';

const outageTexts: OutageTexts = {
  level: 'warn',
  began: 'the shared store of rate limits fails, counting in memory',
  over: 'the shared store of rate limits answers again',
};

/** Prepares and probes a store. */
interface StoreCheck {
  readonly prepare: () => Promise<unknown>;
  readonly probe: () => Promise<unknown>;
}

/**
 * Tracks whether the shared store of a process's limiters works. All limiters switch to memory and back together, so
 * that an outage is logged as one warning. Retries run in the background, so that no request waits for a failing store.
 */
export class SharedStoreHealth {
  readonly #outage: OutageLog;
  readonly #checks: StoreCheck[] = [];
  #failing = false;
  #retryAtMs = 0;
  #isTrying = false;

  constructor(logger: Logger) {
    this.#outage = new OutageLog(logger, () => true, outageTexts);
  }

  /** Prepares a store now. Prepares and probes it again at each retry after a failure. */
  add(check: StoreCheck): void {
    this.#checks.push(check);
    within(check.prepare(), readyWithinMs).catch((error: unknown) => this.#fail(error));
  }

  /** Runs `shared` while the store works and answers in time, otherwise `memory`. */
  async use<T>(shared: () => Promise<T>, memory: () => T): Promise<T> {
    if (this.#failing) {
      this.#retryInBackground();
      return memory();
    }
    try {
      const result = await within(shared(), answerWithinMs);
      this.#outage.noteSuccess();
      return result;
    } catch (error) {
      this.#fail(error);
      return memory();
    }
  }

  #fail(error: unknown): void {
    this.#outage.noteFailure(error);
    this.#failing = true;
    this.#retryAtMs = performance.now() + retryAfterMs;
  }

  #retryInBackground(): void {
    if (this.#isTrying || performance.now() < this.#retryAtMs) return;
    this.#isTrying = true;
    // A slow store counts as failed too: requests would wait for it in vain.
    within(this.#tryAgain(), answerWithinMs)
      .then(
        () => {
          this.#failing = false;
        },
        (error: unknown) => this.#fail(error),
      )
      .finally(() => {
        this.#isTrying = false;
      });
  }

  async #tryAgain(): Promise<void> {
    await Promise.all(this.#checks.map(({ prepare }) => prepare()));
    // All limiters share one store, so probing one of them is enough.
    await this.#checks[0]?.probe();
  }
}

/**
 * Counts in a shared store, and in memory while that store fails or is silent. Limits then hold per process, and no
 * request fails because of the store.
 */
export class FallbackStore implements CounterStore {
  readonly #shared: CounterStore;
  readonly #memory: MemoryStore;
  readonly #health: SharedStoreHealth;

  constructor(shared: CounterStore, windowMs: number, health: SharedStoreHealth) {
    this.#shared = shared;
    this.#memory = new MemoryStore(windowMs);
    this.#health = health;
  }

  init(options: Options): void {
    this.#health.add({
      prepare: async () => this.#shared.init?.(options),
      probe: async () => this.#shared.increment(probeKey),
    });
  }

  increment(key: string): Promise<ClientRateLimitInfo> {
    return this.#health.use(
      async () => this.#shared.increment(key),
      () => this.#memory.increment(key),
    );
  }
}
