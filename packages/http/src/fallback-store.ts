import type { ClientRateLimitInfo, Options, Store } from 'express-rate-limit';
import type { Logger } from 'pino';
import { MemoryStore } from './memory-store.js';

/** A shared store that has not answered by then counts as failed: limits must not make requests wait. */
const answerWithinMs = 250;
/** After a failure the shared store is left alone this long. */
const retryAfterMs = 1_000;

const within = async <T>(work: Promise<T>, timeoutMs: number): Promise<T> => {
  let timer: NodeJS.Timeout | undefined;
  const timeout = new Promise<never>((_resolve, reject) => {
    timer = setTimeout(() => reject(new Error(`no answer within ${timeoutMs} ms`)), timeoutMs);
  });
  try {
    return await Promise.race([work, timeout]);
  } finally {
    clearTimeout(timer);
  }
};

/**
 * Counts in a shared store, and in memory while that store fails or is silent: a limit then holds by process instead of for
 * all, and no request is refused or answered 500 for it.
 */
export class FallbackStore implements Store {
  readonly localKeys = false;
  readonly #shared: Store;
  readonly #memory: MemoryStore;
  readonly #logger: Logger;
  #failing = false;
  #retryAtMs = 0;

  constructor(shared: Store, windowMs: number, logger: Logger) {
    this.#shared = shared;
    this.#memory = new MemoryStore(windowMs);
    this.#logger = logger;
  }

  init(options: Options): void {
    void this.#shared.init?.(options);
  }

  increment(key: string): Promise<ClientRateLimitInfo> {
    return this.#try(
      async () => this.#shared.increment(key),
      () => this.#memory.increment(key),
    );
  }

  decrement(key: string): Promise<void> {
    return this.#try(
      async () => this.#shared.decrement(key),
      () => this.#memory.decrement(key),
    );
  }

  resetKey(key: string): Promise<void> {
    this.#memory.resetKey(key);
    return this.#try(
      async () => this.#shared.resetKey(key),
      () => undefined,
    );
  }

  async #try<T>(shared: () => Promise<T>, memory: () => T): Promise<T> {
    if (this.#failing && performance.now() < this.#retryAtMs) return memory();
    try {
      const result = await within(shared(), answerWithinMs);
      if (this.#failing) this.#logger.info('the shared store of rate limits answers again');
      this.#failing = false;
      return result;
    } catch (error) {
      if (!this.#failing)
        this.#logger.warn({ err: error }, 'the shared store of rate limits fails, counting in memory');
      this.#failing = true;
      this.#retryAtMs = performance.now() + retryAfterMs;
      return memory();
    }
  }
}
