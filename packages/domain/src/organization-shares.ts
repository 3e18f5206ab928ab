/** One part in so many of what all organizations share is kept from any single one. */
const keptPart = 5;

/** The most that one organization may have of a total: four fifths, and at least one. */
export const shareOf = (total: number): number => Math.max(1, total - Math.ceil(total / keptPart));

/** Bounds of an {@link OrganizationShares}. */
export interface ShareBounds {
  /** The most that one organization may have at once. */
  readonly share: number;
  /** The most that all of them may have at once; unbounded when absent. */
  readonly total?: number;
}

/**
 * Bounds how much of something one organization may have at once, so that one alone cannot take all of it: connections of a
 * pool, requests in work, bytes of answers, bulk calls. An organization that has nothing always gets what it asks for if the
 * total allows it, however large that is.
 */
export class OrganizationShares {
  readonly #bounds: Required<ShareBounds>;
  readonly #taken = new Map<string, number>();
  readonly #queues = new Map<string, (() => void)[]>();
  #total = 0;

  constructor({ share, total = Number.POSITIVE_INFINITY }: ShareBounds) {
    this.#bounds = { share, total };
  }

  /** What all organizations have now. */
  get total(): number {
    return this.#total;
  }

  /** Whether all organizations together have as much as they may. */
  get isExhausted(): boolean {
    return this.#total >= this.#bounds.total;
  }

  /** Whether an organization may have so much more now. */
  hasRoom(organizationId: string, amount = 1): boolean {
    const taken = this.#taken.get(organizationId) ?? 0;
    const fitsShare = taken === 0 || taken + amount <= this.#bounds.share;
    return fitsShare && this.#total + amount <= this.#bounds.total;
  }

  /** Takes so much, whether or not there is room. @returns what to call, once or more, to give it back */
  take(organizationId: string, amount = 1): () => void {
    this.#add(organizationId, amount);
    let isTaken = true;
    return () => {
      if (!isTaken) return;
      isTaken = false;
      this.#add(organizationId, -amount);
      if (this.hasRoom(organizationId)) this.#queues.get(organizationId)?.shift()?.();
    };
  }

  /**
   * Takes one as soon as the organization has room; earlier callers of the organization go first.
   * @returns what to call to give it back, or null when there was no room within `waitMs`
   */
  async takeWithin(organizationId: string, waitMs: number): Promise<(() => void) | null> {
    return this.hasRoom(organizationId) ? this.take(organizationId) : this.#wait(organizationId, waitMs);
  }

  #wait(organizationId: string, waitMs: number): Promise<(() => void) | null> {
    const queue = this.#queues.get(organizationId) ?? [];
    this.#queues.set(organizationId, queue);
    return new Promise((resolve) => {
      const leaveQueue = (): void => {
        clearTimeout(timer);
        if (queue.length === 0) this.#queues.delete(organizationId);
      };
      const go = (): void => {
        leaveQueue();
        // Taken at once: until the promise is looked at, another caller might find the same room.
        resolve(this.take(organizationId));
      };
      const timer = setTimeout(() => {
        queue.splice(queue.indexOf(go), 1);
        leaveQueue();
        resolve(null);
      }, waitMs);
      queue.push(go);
    });
  }

  #add(organizationId: string, amount: number): void {
    const taken = (this.#taken.get(organizationId) ?? 0) + amount;
    this.#total += amount;
    if (taken === 0) this.#taken.delete(organizationId);
    else this.#taken.set(organizationId, taken);
  }
}
