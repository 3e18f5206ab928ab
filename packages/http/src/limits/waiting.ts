import type { Exchange } from '../exchange.js';
import type { Wait } from '../operation.js';
import { SharedLimit } from './shared-limit.js';

/**
 * Requests that wait for events. They hold no database connection, no room for a page, and do not count as running. They
 * cost only their socket and an entry here.
 */
export class WaitingRequests {
  readonly #limit: SharedLimit;
  readonly #ends = new Set<() => void>();
  #isStopped = false;

  /** @param most - the maximum number of waiting requests of all organizations */
  constructor(most: number) {
    this.#limit = new SharedLimit({ total: most });
  }

  /** How many requests wait now. */
  get total(): number {
    return this.#limit.total;
  }

  /** Whether the gateway shuts down and no request may wait. */
  get isStopped(): boolean {
    return this.#isStopped;
  }

  /** Whether one more request of the organization may wait. */
  hasRoom(organizationId: string): boolean {
    return this.#limit.hasRoom(organizationId);
  }

  /**
   * Makes a request wait. The wait ends at once if the caller hangs up or the gateway shuts down.
   * @returns whether there may be new events; false after the full time or an early end
   */
  hold(exchange: Exchange, organizationId: string, wait: Wait, leftMs: number): Promise<boolean> {
    const startedAtMs = performance.now();
    const leave = this.#limit.take(organizationId);
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
