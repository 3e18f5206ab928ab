import { RemainderShares } from '@crm/domain';
import type { Exchange } from '../exchange.js';
import type { Wait } from '../operation.js';

/**
 * Requests that wait for events. They hold no database connection, no place among the running requests and no room for
 * a page, only their socket and an entry here.
 */
export class WaitingRequests {
  readonly #places: RemainderShares;
  readonly #ends = new Set<() => void>();
  #isStopped = false;

  /**
   * @param most - the maximum number of waiting requests. One organization may use half of what the others leave free.
   */
  constructor(most: number) {
    this.#places = new RemainderShares(most);
  }

  /** How many requests wait now. */
  get total(): number {
    return this.#places.total;
  }

  /** Whether the gateway shuts down and no request may wait. */
  get isStopped(): boolean {
    return this.#isStopped;
  }

  /** Whether one more request of the organization may wait. */
  hasRoom(organizationId: string): boolean {
    return this.#places.hasRoom(organizationId);
  }

  /**
   * Makes a request wait. The wait ends at once if the caller hangs up or the gateway shuts down.
   * @returns whether there may be new events; false after the full time or an early end
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

  /** Ends all waits; from now on no request may wait. */
  stop(): void {
    this.#isStopped = true;
    for (const end of [...this.#ends]) end();
  }
}
