/** Reserves 1 / `keptPart` of a total, which a single organization cannot take. */
const keptPart = 5;

/** The maximum share of one organization: four fifths of the total, but at least 1. */
export const shareOf = (total: number): number => Math.max(1, total - Math.ceil(total / keptPart));

/** Bounds of an {@link OrganizationShares}. */
export interface ShareBounds {
  /** The maximum that one organization may hold at once. */
  readonly share: number;
  /** The maximum that all of them may hold at once; unlimited if absent. */
  readonly total?: number;
}

interface Waiting {
  readonly amount: number;
  readonly go: () => void;
}

/**
 * Limits how much of a shared resource one organization may hold at once: connections of a pool, running requests,
 * bytes of responses, bulk calls. An organization that holds nothing may exceed its share once: it gets any amount that
 * the total allows.
 */
export class OrganizationShares {
  readonly #bounds: Required<ShareBounds>;
  readonly #taken = new Map<string, number>();
  /** Waiting callers by organization, without empty queues. The organization whose turn is next comes first. */
  readonly #queues = new Map<string, Waiting[]>();
  #total = 0;

  constructor({ share, total = Number.POSITIVE_INFINITY }: ShareBounds) {
    this.#bounds = { share, total };
  }

  /** What all organizations hold now. */
  get total(): number {
    return this.#total;
  }

  /** Whether the total is used up. */
  get isExhausted(): boolean {
    return this.#total >= this.#bounds.total;
  }

  /** Whether an organization may take `amount` more now. */
  hasRoom(organizationId: string, amount = 1): boolean {
    const taken = this.takenBy(organizationId);
    const fitsShare = taken === 0 || taken + amount <= this.shareOf(organizationId);
    return fitsShare && this.#total + amount <= this.#bounds.total;
  }

  /** Takes `amount`, even if there is no room. @returns a function that gives it back; calling it again does nothing */
  take(organizationId: string, amount = 1): () => void {
    this.change(organizationId, amount);
    let isTaken = true;
    return () => {
      if (!isTaken) return;
      isTaken = false;
      this.change(organizationId, -amount);
      this.#letGo();
    };
  }

  /**
   * Takes `amount` as soon as there is room; earlier callers of the organization go first.
   * @returns a function that gives it back, or null if there was no room within `waitMs`
   */
  async takeWithin(organizationId: string, waitMs: number, amount = 1): Promise<(() => void) | null> {
    const isFirst = !this.#queues.has(organizationId) && this.hasRoom(organizationId, amount);
    return isFirst ? this.take(organizationId, amount) : this.#wait(organizationId, waitMs, amount);
  }

  /** The maximum that an organization may hold now. */
  protected shareOf(_organizationId: string): number {
    return this.#bounds.share;
  }

  /** What an organization holds now. */
  protected takenBy(organizationId: string): number {
    return this.#taken.get(organizationId) ?? 0;
  }

  protected change(organizationId: string, amount: number): void {
    const taken = this.takenBy(organizationId) + amount;
    this.#total += amount;
    if (taken === 0) this.#taken.delete(organizationId);
    else this.#taken.set(organizationId, taken);
  }

  #wait(organizationId: string, waitMs: number, amount: number): Promise<(() => void) | null> {
    const queue = this.#queues.get(organizationId) ?? [];
    this.#queues.set(organizationId, queue);
    return new Promise((resolve) => {
      const go = (): void => {
        clearTimeout(timer);
        // Taken immediately: before the promise resolves, another caller could take the same room.
        resolve(this.take(organizationId, amount));
      };
      const waiting = { amount, go };
      const timer = setTimeout(() => {
        queue.splice(queue.indexOf(waiting), 1);
        if (queue.length === 0) this.#queues.delete(organizationId);
        resolve(null);
      }, waitMs);
      queue.push(waiting);
    });
  }

  /** Serves the waiting callers that fit now. Organizations take turns, one caller at a time. */
  #letGo(): void {
    for (const [organizationId, queue] of this.#queues) {
      const [first] = queue;
      if (first === undefined || !this.hasRoom(organizationId, first.amount)) continue;
      queue.shift();
      // Move the organization to the end of the map; the loop visits it again there.
      this.#queues.delete(organizationId);
      if (queue.length > 0) this.#queues.set(organizationId, queue);
      first.go();
    }
  }
}
