/** A batch's place in the order. */
export interface Turn {
  /** Resolves once all earlier turns that share a key are done. */
  readonly ready: Promise<unknown>;
  /** Lets later turns begin. Must be called even if this turn failed. */
  readonly done: () => void;
}

/** Keeps batches that share a key in order. Other batches may overtake each other. */
export class KeyOrder {
  readonly #last = new Map<string, Promise<void>>();

  /** The number of active keys, for tests. */
  get size(): number {
    return this.#last.size;
  }

  /** Adds a turn after all earlier turns that share one of the keys. */
  enter(keys: readonly string[]): Turn {
    const before = keys.flatMap((key) => this.#last.get(key) ?? []);
    let resolve: () => void = () => undefined;
    const ended = new Promise<void>((end) => (resolve = end));
    for (const key of keys) this.#last.set(key, ended);
    return {
      ready: Promise.all(before),
      done: () => {
        resolve();
        for (const key of keys) if (this.#last.get(key) === ended) this.#last.delete(key);
      },
    };
  }
}
