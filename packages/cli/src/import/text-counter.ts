/** Counts equal texts, keeping the first kinds that come, so that memory stays constant whatever a file holds. */
export class TextCounter {
  readonly #counts = new Map<string, number>();
  readonly #kindsKept: number;

  constructor(kindsKept = 100) {
    this.#kindsKept = kindsKept;
  }

  /** Counts one. */
  add(text: string): void {
    const count = this.#counts.get(text);
    if (count !== undefined || this.#counts.size < this.#kindsKept) this.#counts.set(text, (count ?? 0) + 1);
  }

  /** The most frequent texts, with how often each came. */
  mostFrequent(most: number): readonly (readonly [text: string, count: number])[] {
    return [...this.#counts].sort(([, first], [, second]) => second - first).slice(0, most);
  }
}
