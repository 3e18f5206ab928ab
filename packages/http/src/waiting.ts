import { RemainderShares } from '@crm/domain';
import type { Exchange } from './exchange.js';
import type { Wait } from './operation.js';

/**
 * Requests whose answer waits until there is something to say. They hold neither a connection of the database nor a place among the
 * requests in work nor room for a page: only their socket and an entry here.
 */
export class WaitingRequests {
  readonly #places: RemainderShares;
  readonly #ends = new Set<() => void>();
  #isStopped = false;

  /** @param most - how many wait at once; one organization may have half of what the others leave */
  constructor(most: number) {
    this.#places = new RemainderShares(most);
  }

  /** How many requests wait now. */
  get total(): number {
    return this.#places.total;
  }

  /** Whether the gateway shuts down, so that no caller waits any longer. */
  get isStopped(): boolean {
    return this.#isStopped;
  }

  /** Whether one more request of the organization may wait. */
  hasRoom(organizationId: string): boolean {
    return this.#places.hasRoom(organizationId);
  }

  /**
   * Holds a request back. The wait ends at once when the caller goes away or the gateway shuts down.
   * @returns whether there may be news; false when the time was up or the wait was cut short
   */
  hold(exchange: Exchange, organizationId: string, wait: Wait, leftMs: number): Promise<boolean> {
    const startedAtMs = performance.now();
    const leave = this.#places.take(organizationId);
    return new Promise((resolve) => {
      const end = (hasNews: boolean): void => {
        clearTimeout(timer);
        this.#ends.delete(endWithout);
        stopListening();
        unsubscribe();
        leave();
        exchange.waitedMs += performance.now() - startedAtMs;
        resolve(hasNews);
      };
      const endWithout = (): void => end(false);
      const timer = setTimeout(endWithout, leftMs);
      this.#ends.add(endWithout);
      const stopListening = exchange.onceClosed(endWithout);
      const unsubscribe = wait.subscribe(() => end(true));
    });
  }

  /** Ends all waits, and lets no request wait from now on. */
  stop(): void {
    this.#isStopped = true;
    for (const end of [...this.#ends]) end();
  }
}
