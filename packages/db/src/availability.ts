import { isConnectionError, isPoolTimeout } from './database-errors.js';
import type { Database } from './database.js';

const probeEveryMs = 1_000;

/** Called when a server becomes unreachable, with the reason, and when it is back. */
export type AvailabilityListener = (change: { readonly isAway: boolean; readonly error?: unknown }) => void;

/**
 * Whether a server is reachable. After the first failure that means that it is away, requests no longer wait for it. A
 * background probe asks it once a second until it answers.
 */
export class Availability {
  readonly #database: Database;
  readonly #onChange: AvailabilityListener;
  #isAway = false;
  #isStopped = false;
  #timer: NodeJS.Timeout | undefined;
  #question: Promise<boolean> | undefined;

  constructor(database: Database, onChange: AvailabilityListener) {
    this.#database = database;
    this.#onChange = onChange;
  }

  get isAway(): boolean {
    return this.#isAway;
  }

  /** Takes note of a failure. Those that do not say that the server is away change nothing; of a full pool it asks first. */
  async report(error: unknown): Promise<void> {
    if (this.#isAway || !isConnectionError(error)) return;
    if (isPoolTimeout(error) && (await this.#answers())) return;
    this.#leave(error);
  }

  #leave(error: unknown): void {
    // Others may have found the same meanwhile.
    if (this.#isAway) return;
    this.#isAway = true;
    this.#onChange({ isAway: true, error });
    this.#probeLater();
  }

  /** Asks no more. */
  stop(): void {
    this.#isStopped = true;
    clearTimeout(this.#timer);
  }

  #probeLater(): void {
    this.#timer = setTimeout(() => void this.#probe(), probeEveryMs);
    this.#timer.unref();
  }

  /** One question for everyone who wants to know at the same time. */
  #answers(): Promise<boolean> {
    this.#question ??= this.#database
      .probe()
      .then(
        () => true,
        () => false,
      )
      .finally(() => {
        this.#question = undefined;
      });
    return this.#question;
  }

  async #probe(): Promise<void> {
    if (!(await this.#answers())) {
      if (!this.#isStopped) this.#probeLater();
      return;
    }
    this.#isAway = false;
    this.#onChange({ isAway: false });
  }
}
