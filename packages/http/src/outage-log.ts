import type { Logger } from 'pino';

/** An outage is over when nothing failed for this long: in the middle of one, single requests may still succeed. */
const quietMs = 5_000;

/**
 * Tells an outage of the database when it begins and when it is over, each once, however many requests and polls meet it.
 * What it tells needs no more than the status in the lines of those.
 */
export class OutageLog {
  readonly #logger: Logger;
  readonly #isOutage: (error: unknown) => boolean;
  #beganAtMs: number | undefined;
  #lastFailureMs = 0;

  /** `isOutage` says whether an error means that the database is away, rather than that it refused something. */
  constructor(logger: Logger, isOutage: (error: unknown) => boolean) {
    this.#logger = logger;
    this.#isOutage = isOutage;
  }

  /** Whether an error is one of an outage; it is then noted as such. */
  covers(error: unknown): boolean {
    if (!this.#isOutage(error)) return false;
    this.noteFailure(error);
    return true;
  }

  /** Notes that the database did not answer. */
  noteFailure(error: unknown): void {
    this.#lastFailureMs = performance.now();
    if (this.#beganAtMs !== undefined) return;
    this.#beganAtMs = this.#lastFailureMs;
    this.#logger.error(
      { err: error },
      'the database does not answer: requests get 503 until it does. Look whether it runs and can be reached from here (crm doctor)',
    );
  }

  /** Notes that the database answered. */
  noteSuccess(): void {
    if (this.#beganAtMs === undefined || performance.now() - this.#lastFailureMs < quietMs) return;
    const awayMs = Math.round(this.#lastFailureMs - this.#beganAtMs);
    this.#beganAtMs = undefined;
    this.#logger.info({ away_ms: awayMs }, 'the database answers again');
  }
}
