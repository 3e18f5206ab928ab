/** Almost every body is there at once; one that takes longer than this may have to make room. */
const slowAfterMs = 1_000;

/**
 * The bodies that have not arrived in full, oldest first. A request keeps its place in the process while its body arrives, so
 * callers that send theirs a character at a time could take all places; when there is none left, the slowest make room.
 */
export class ArrivingBodies {
  readonly #sinceMs = new Map<() => void, number>();

  /** Notes a body that begins to arrive. @returns what to call when it has arrived or is not waited for any more */
  add(giveUp: () => void): () => void {
    this.#sinceMs.set(giveUp, performance.now());
    return () => this.#sinceMs.delete(giveUp);
  }

  /** Gives up on the oldest body, where that is a slow one. @returns whether there was one */
  giveUpSlowest(): boolean {
    // A map keeps its order of insertion, so the first entry is the oldest.
    for (const [giveUp, sinceMs] of this.#sinceMs) {
      if (performance.now() - sinceMs < slowAfterMs) return false;
      this.#sinceMs.delete(giveUp);
      giveUp();
      return true;
    }
    return false;
  }
}
