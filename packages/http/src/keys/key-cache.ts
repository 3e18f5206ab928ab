import type { ApiKeyRecord, FindApiKeys } from './api-key-record.js';
import type { CacheCounter } from '../observability/metrics/activity.js';

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
class BatchedLookups {
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

interface Known {
  readonly record: ApiKeyRecord | null;
  readonly readAtMs: number;
}

interface Flight {
  readonly startedAtMs: number;
  readonly result: Promise<ApiKeyRecord | null>;
}

/** How long a looked-up key stays valid. A revocation takes effect within this time plus one lookup. */
const maxAgeMs = 2_000;
/** The maximum number of keys, and also of cached hashes without a key. */
const maxEntries = 10_000;

/**
 * Caches keys for a short time. Most requests then need no statement, and a revocation still takes effect soon. The age
 * of an entry counts from the start of the lookup, because the result may be that old. Hashes without a key are cached
 * separately, so that a flood of invented keys cannot evict real ones. Requests for one hash share one lookup.
 */
export class ApiKeyCache {
  readonly #find: FindApiKeys;
  readonly #batches: BatchedLookups;
  readonly #counter: CacheCounter;
  readonly #keys = new Map<string, Known>();
  readonly #absent = new Map<string, Known>();
  readonly #flights = new Map<string, Flight>();

  constructor(find: FindApiKeys, counter: CacheCounter) {
    this.#find = find;
    this.#batches = new BatchedLookups(find);
    this.#counter = counter;
  }

  /**
   * The record of a hash, including revoked and expired keys; `null` if there is none. A failed lookup rejects and is
   * not cached.
   * @param mayWait whether the lookup may wait for others, to share one statement
   */
  async find(hash: Buffer, mayWait: boolean): Promise<ApiKeyRecord | null> {
    const id = hash.toString('base64');
    const oldest = performance.now() - maxAgeMs;
    const known = this.#keys.get(id) ?? this.#absent.get(id);
    if (known !== undefined && known.readAtMs > oldest) {
      this.#counter.hits++;
      return known.record;
    }
    this.#counter.misses++;
    const flight = this.#flights.get(id);
    // The result of a lookup that began too long ago may be out of date.
    if (flight !== undefined && flight.startedAtMs > oldest) return flight.result;
    return this.#lookUp(id, mayWait ? this.#batches.find(hash) : this.#findNow(hash));
  }

  async #findNow(hash: Buffer): Promise<ApiKeyRecord | null> {
    const [record] = await this.#find([hash]);
    return record ?? null;
  }

  #lookUp(id: string, answer: Promise<ApiKeyRecord | null>): Promise<ApiKeyRecord | null> {
    const startedAtMs = performance.now();
    const result = answer
      .then((record) => {
        this.#keep(id, { record, readAtMs: startedAtMs });
        return record;
      })
      .finally(() => {
        if (this.#flights.get(id)?.result === result) this.#flights.delete(id);
      });
    this.#flights.set(id, { startedAtMs, result });
    return result;
  }

  #keep(id: string, known: Known): void {
    const newer = this.#keys.get(id) ?? this.#absent.get(id);
    if (newer !== undefined && newer.readAtMs > known.readAtMs) return;
    this.#keys.delete(id);
    this.#absent.delete(id);
    const map = known.record === null ? this.#absent : this.#keys;
    map.set(id, known);
    // A map keeps insertion order, so the first entry is the oldest.
    const [oldest = ''] = map.keys();
    if (map.size > maxEntries) map.delete(oldest);
  }
}
