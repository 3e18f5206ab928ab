/** One part in so many of a pool's connections is kept from any single organization. */
const keptPart = 5;

/**
 * Bounds how many connections of a pool one organization may have at once. An organization whose statements are slow would
 * hold all of them, and all others would wait in vain; so it waits for its own, and some are left for the others.
 */
export class OrganizationShares {
  readonly #share: number;
  readonly #waitMs: number;
  readonly #taken = new Map<string, number>();
  readonly #queues = new Map<string, (() => void)[]>();

  /** @param maxConnections of the pool; @param waitMs how long a statement may wait for one of its organization's */
  constructor(maxConnections: number, waitMs: number) {
    this.#share = Math.max(1, maxConnections - Math.ceil(maxConnections / keptPart));
    this.#waitMs = waitMs;
  }

  /** Does work that takes a connection. @throws Error as the pool's own when none of the organization's comes free in time */
  async run<T>(organizationId: string, work: () => Promise<T>): Promise<T> {
    const taken = this.#taken.get(organizationId) ?? 0;
    if (taken < this.#share) this.#taken.set(organizationId, taken + 1);
    else await this.#wait(organizationId);
    try {
      return await work();
    } finally {
      this.#leave(organizationId);
    }
  }

  #wait(organizationId: string): Promise<void> {
    const queue = this.#queues.get(organizationId) ?? [];
    this.#queues.set(organizationId, queue);
    return new Promise((resolve, reject) => {
      const go = (): void => {
        clearTimeout(timer);
        resolve();
      };
      const timer = setTimeout(() => {
        queue.splice(queue.indexOf(go), 1);
        reject(new Error('timeout exceeded when trying to connect'));
      }, this.#waitMs);
      queue.push(go);
    });
  }

  /** Hands the place on to whoever of the organization waits longest. */
  #leave(organizationId: string): void {
    const next = this.#queues.get(organizationId)?.shift();
    if (next !== undefined) {
      next();
      return;
    }
    this.#queues.delete(organizationId);
    const left = (this.#taken.get(organizationId) ?? 1) - 1;
    if (left === 0) this.#taken.delete(organizationId);
    else this.#taken.set(organizationId, left);
  }
}
