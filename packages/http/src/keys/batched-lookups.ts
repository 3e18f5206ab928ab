import type { ApiKeyRecord, FindApiKeys } from './api-key-record.js';

/** How long a lookup waits for others that share its statement. */
const batchMs = 20;
/** A batch of this size starts at once: each of its requests holds one of the limited places for key lookups. */
const maxBatch = 32;

interface Waiting {
  readonly hash: Buffer;
  readonly resolve: (record: ApiKeyRecord | null) => void;
  readonly reject: (error: unknown) => void;
}

/**
 * Looks up keys in batches: one statement for all keys that arrive within 20 ms, at most 32. A steady load of up to
 * 1,600 keys a second costs at most 50 statements a second. A higher load costs one statement per 32 keys. A flood of
 * guessed keys therefore costs few statements, and valid keys are still found.
 */
export class BatchedLookups {
  readonly #find: FindApiKeys;
  #waiting: Waiting[] = [];
  #timer: NodeJS.Timeout | undefined;

  constructor(find: FindApiKeys) {
    this.#find = find;
  }

  /** The record of a hash, or null if there is none. */
  find(hash: Buffer): Promise<ApiKeyRecord | null> {
    return new Promise((resolve, reject) => {
      this.#waiting.push({ hash, resolve, reject });
      if (this.#waiting.length === maxBatch) this.#lookUp();
      else this.#timer ??= setTimeout(() => this.#lookUp(), batchMs);
    });
  }

  #lookUp(): void {
    clearTimeout(this.#timer);
    this.#timer = undefined;
    const waiting = this.#waiting;
    this.#waiting = [];
    this.#find(waiting.map(({ hash }) => hash)).then(
      (records) => waiting.forEach(({ resolve }, index) => resolve(records[index] ?? null)),
      (error: unknown) => waiting.forEach(({ reject }) => reject(error)),
    );
  }
}
