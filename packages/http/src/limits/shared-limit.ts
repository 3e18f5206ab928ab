/** The largest part of a resource that one organization may hold: four fifths, rounded down, but at least 1. */
export const shareOf = (total: number): number => Math.max(1, Math.floor((total * 4) / 5));

/** How long an organization counts as active after its last call, in milliseconds. */
const activeMs = 60_000;

/** How much may be held at once. */
interface SharedLimitOptions {
  /** The most that all organizations may hold; unlimited by default. */
  readonly total?: number;
  /** The most that one organization may hold, by default four fifths of what the others leave free. */
  readonly share?: number;
  /** The most that one organization may hold while others are active; by default the same. */
  readonly shareBesideOthers?: number;
}

interface Waiting {
  readonly amount: number;
  readonly go: () => void;
}

interface Use {
  readonly organizationId: string;
  readonly atMs: number;
}

/**
 * Limits how much of a shared resource one organization may hold at once: connections of a pool, running requests,
 * bytes of responses, bulk calls, requests that wait for events. So there is always room for another organization. An
 * organization that holds nothing may exceed its share once: it gets any amount that the total allows.
 */
export class SharedLimit {
  readonly #options: SharedLimitOptions;
  readonly #most: number;
  readonly #now: () => number;
  readonly #held = new Map<string, number>();
  /** Waiting callers by organization, without empty queues. The organization whose turn is next comes first. */
  readonly #queues = new Map<string, Waiting[]>();
  #total = 0;
  #latest: Use | null = null;
  /** The latest use by an organization other than that of `#latest`. */
  #latestOfAnother: Use | null = null;

  /** @param now - a clock in milliseconds, from any origin */
  constructor(options: SharedLimitOptions, now: () => number = () => performance.now()) {
    this.#options = options;
    this.#most = options.total ?? Number.POSITIVE_INFINITY;
    this.#now = now;
  }

  /** What all organizations hold now. */
  get total(): number {
    return this.#total;
  }

  /** Whether the total is used up. */
  get isExhausted(): boolean {
    return this.#total >= this.#most;
  }

  /** Whether an organization may take `amount` more now. */
  hasRoom(organizationId: string, amount = 1): boolean {
    const held = this.#held.get(organizationId) ?? 0;
    const fitsShare = held === 0 || held + amount <= this.#shareOf(organizationId, held);
    return fitsShare && this.#total + amount <= this.#most;
  }

  /** Takes `amount`, even if there is no room. @returns a function that gives it back; calling it again does nothing */
  take(organizationId: string, amount = 1): () => void {
    this.#change(organizationId, amount);
    if (this.#latest?.organizationId !== organizationId) this.#latestOfAnother = this.#latest;
    this.#latest = { organizationId, atMs: this.#now() };
    let isTaken = true;
    return () => {
      if (!isTaken) return;
      isTaken = false;
      this.#change(organizationId, -amount);
      this.#serveWaiting();
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

  #shareOf(organizationId: string, held: number): number {
    const { share = shareOf(this.#most - (this.#total - held)), shareBesideOthers = share } = this.#options;
    const other = this.#latest?.organizationId === organizationId ? this.#latestOfAnother : this.#latest;
    return other !== null && this.#now() - other.atMs < activeMs ? shareBesideOthers : share;
  }

  #change(organizationId: string, amount: number): void {
    const held = (this.#held.get(organizationId) ?? 0) + amount;
    this.#total += amount;
    if (held === 0) this.#held.delete(organizationId);
    else this.#held.set(organizationId, held);
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
  #serveWaiting(): void {
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
