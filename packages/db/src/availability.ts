import { isConnectionError, isPoolTimeout } from './database-errors.js';
import type { Database } from './database.js';

const probeEveryMs = 1_000;

/** Called when a server becomes unreachable, with the reason, and when it is back. */
export type AvailabilityListener = (change: { readonly isAway: boolean; readonly error?: unknown }) => void;

/**
 * Tracks whether a server is reachable. After the first connection error, requests no longer wait for it, and a background probe
 * connects once a second until it succeeds.
 */
export class Availability {
  readonly #database: Database;
  readonly #onChange: AvailabilityListener;
  #isAway = false;
  #isStopped = false;
  #timer: NodeJS.Timeout | undefined;
  #runningProbe: Promise<boolean> | undefined;

  constructor(database: Database, onChange: AvailabilityListener) {
    this.#database = database;
    this.#onChange = onChange;
  }

  get isAway(): boolean {
    return this.#isAway;
  }

  /**
   * Reports a failure of a statement. Only connection errors count. After a timeout while waiting for a pooled connection, it probes the
   * server first, because the pool may just be busy.
   */
  async report(error: unknown): Promise<void> {
    if (this.#isAway || !isConnectionError(error)) return;
    if (isPoolTimeout(error) && (await this.#isReachable())) return;
    this.#markAway(error);
  }

  #markAway(error: unknown): void {
    // Another report may have marked it during the probe.
    if (this.#isAway) return;
    this.#isAway = true;
    this.#onChange({ isAway: true, error });
    this.#probeLater();
  }

  /** Stops probing. */
  stop(): void {
    this.#isStopped = true;
    clearTimeout(this.#timer);
  }

  #probeLater(): void {
    this.#timer = setTimeout(() => void this.#probe(), probeEveryMs);
    this.#timer.unref();
  }

  /** Probes the server. Concurrent callers share one probe. */
  #isReachable(): Promise<boolean> {
    this.#runningProbe ??= this.#database
      .probe()
      .then(
        () => true,
        () => false,
      )
      .finally(() => {
        this.#runningProbe = undefined;
      });
    return this.#runningProbe;
  }

  async #probe(): Promise<void> {
    if (!(await this.#isReachable())) {
      if (!this.#isStopped) this.#probeLater();
      return;
    }
    this.#isAway = false;
    this.#onChange({ isAway: false });
  }
}
