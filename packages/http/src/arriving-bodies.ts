/** Almost every body is there at once; one that takes longer than this may have to make room. */
const slowAfterMs = 1_000;

/**
 * The bodies that have not arrived in full, oldest first. A request keeps its place in the process while its body arrives, so
 * callers that send theirs a character at a time could take all places; when there is none left, the slowest make room.
 */
export class ArrivingBodies {
  readonly #bodies = new Map<() => void, { readonly organizationId: string; readonly sinceMs: number }>();

  /** Notes a body that begins to arrive. @returns what to call when it has arrived or is not waited for any more */
  add(organizationId: string, giveUp: () => void): () => void {
    this.#bodies.set(giveUp, { organizationId, sinceMs: performance.now() });
    return () => this.#bodies.delete(giveUp);
  }

  /** Gives up on the oldest body of an organization, or of any, where that is a slow one. @returns whether there was one */
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
