/**
 * A body that takes longer than this to arrive, in milliseconds, may be dropped to make room. Few bodies take so long.
 */
const slowAfterMs = 1_000;

/**
 * The bodies that have not arrived in full, oldest first. A request keeps its place in the process while its body
 * arrives, so callers that send a character at a time could take all places. When no place is left, the slowest body is
 * dropped.
 */
export class ArrivingBodies {
  readonly #bodies = new Map<() => void, { readonly organizationId: string; readonly sinceMs: number }>();

  /** Adds a body that begins to arrive. @returns a function to call when it has arrived or was dropped */
  add(organizationId: string, giveUp: () => void): () => void {
    this.#bodies.set(giveUp, { organizationId, sinceMs: performance.now() });
    return () => this.#bodies.delete(giveUp);
  }

  /** Drops the oldest body, of one organization or of all, if it is slow. @returns whether there was one */
  giveUpSlowest(ofOrganizationId?: string): boolean {
    // A map keeps its order of insertion, so the oldest come first.
    for (const [giveUp, { organizationId, sinceMs }] of this.#bodies) {
      if (performance.now() - sinceMs < slowAfterMs) return false;
      if (ofOrganizationId !== undefined && ofOrganizationId !== organizationId) continue;
      this.#bodies.delete(giveUp);
      giveUp();
      return true;
    }
    return false;
  }
}
