const uuid = /[0-9a-f]{8}-[0-9a-f]{4}-7[0-9a-f]{3}-[0-9a-f]{4}-[0-9a-f]{12}/g;

/** Replaces the invented ids of examples by real ones, which it learns from answers. */
export class ExampleIds {
  readonly #real = new Map<string, string>();

  set(example: string, real: string): void {
    this.#real.set(example, real);
  }

  /** The value with every known id replaced. */
  fill<Value>(value: Value): Value {
    const text = JSON.stringify(value).replace(uuid, (id) => this.#real.get(id) ?? id);
    return JSON.parse(text) as Value;
  }

  /** Remembers the ids of an answer for the ids at the same places of the example. */
  learn(example: unknown, actual: unknown): void {
    if (typeof example === 'string' && typeof actual === 'string') {
      if (new RegExp(`^${uuid.source}$`).test(example) && !this.#real.has(example)) this.#real.set(example, actual);
      return;
    }
    if (typeof example !== 'object' || example === null || typeof actual !== 'object' || actual === null) return;
    for (const [key, value] of Object.entries(example)) this.learn(value, (actual as Record<string, unknown>)[key]);
  }
}
