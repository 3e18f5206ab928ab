import type { ClientRateLimitInfo, Options, Store } from 'express-rate-limit';
import type { Logger } from 'pino';
import { MemoryStore } from './memory-store.js';
import { OutageLog, type OutageTexts } from './outage-log.js';

/** A shared store that has not answered by then counts as failed: limits must not make requests wait. */
const answerWithinMs = 250;
/** Nothing waits while it is made ready, and at the start of a process there is much else to do. */
const readyWithinMs = 2_000;
/** After a failure the shared store is left alone this long. */
const retryAfterMs = 1_000;

/** Counted when the store is tried again: one that is full can be made ready, and still refuses to count. */
const probeKey = 'probe';

const outageTexts: OutageTexts = {
  level: 'warn',
  began: 'the shared store of rate limits fails, counting in memory',
  over: 'the shared store of rate limits answers again',
};

const within = async <T>(work: Promise<T>, timeoutMs: number): Promise<T> => {
  let timer: NodeJS.Timeout | undefined;
  const timeout = new Promise<never>((_resolve, reject) => {
    const end = (): void => reject(new Error(`no answer within ${timeoutMs} ms`));
    // After a hold-up of the event loop timers come first: an answer that has arrived by then is read in the same turn.
    timer = setTimeout(() => setImmediate(() => setImmediate(end)), timeoutMs);
  });
  try {
    return await Promise.race([work, timeout]);
  } finally {
    clearTimeout(timer);
  }
};

/** What is done with a store before it is used, and to see whether it counts. */
interface StoreCheck {
  readonly prepare: () => Promise<unknown>;
  readonly probe: () => Promise<unknown>;
}

/**
 * Whether the store that all limiters of a process share can be used. Limiters fail and recover together, so that an outage
 * is one warning; and it is tried again in the background, so that no request waits for a store that is known to fail.
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

  /** Makes a store ready, now and again when the shared store is tried after a failure; only then is it also probed. */
  add(check: StoreCheck): void {
    this.#checks.push(check);
    within(check.prepare(), readyWithinMs).catch((error: unknown) => this.#fail(error));
  }

  /** Does `shared` while the store is well and answers in time; else `memory`. */
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
    // One that is only slow is not well either: requests would wait for it again, and again in vain.
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
    // All limiters count in one store, so that one of them stands for all.
    await this.#checks[0]?.probe();
  }
}

/**
 * Counts in a shared store, and in memory while that store fails or is silent: a limit then holds by process instead of for
 * all, and no request is refused or answered 500 for it.
 */
export class FallbackStore implements Store {
  readonly localKeys = false;
  readonly #shared: Store;
  readonly #memory: MemoryStore;
  readonly #health: SharedStoreHealth;

  constructor(shared: Store, windowMs: number, health: SharedStoreHealth) {
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

  decrement(key: string): Promise<void> {
    return this.#health.use(
      async () => this.#shared.decrement(key),
      () => this.#memory.decrement(key),
    );
  }

  resetKey(key: string): Promise<void> {
    this.#memory.resetKey(key);
    return this.#health.use(
      async () => this.#shared.resetKey(key),
      () => undefined,
    );
  }
}
