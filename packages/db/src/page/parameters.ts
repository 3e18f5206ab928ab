/** Gathers the bind parameters of a statement; `$1` is always the organization. */
export class Parameters {
  readonly #values: unknown[] = [];

  /** Adds a value and returns its place, as `$2`. */
  add(value: unknown): string {
    this.#values.push(value);
    return `$${this.#values.length + 1}`;
  }

  /** The values from `$2` on. */
  get values(): readonly unknown[] {
    return this.#values;
  }
}
