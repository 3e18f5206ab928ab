/** Counts equal texts. Keeps only the first `kindsKept` different texts, so that memory use is limited. */
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

  /** The most frequent texts with their counts. */
  mostFrequent(most: number): readonly (readonly [text: string, count: number])[] {
    return [...this.#counts].sort(([, first], [, second]) => second - first).slice(0, most);
  }
}
