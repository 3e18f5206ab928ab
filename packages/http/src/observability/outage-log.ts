import type { Logger } from 'pino';

/** An outage is over once nothing has failed for this long, because single requests may succeed during an outage. */
const quietMs = 5_000;

/** The texts of the log lines about an outage. */
export interface OutageTexts {
  readonly level: 'error' | 'warn';
  readonly began: string;
  readonly over: string;
}

const ofDatabase: OutageTexts = {
  level: 'error',
  began:
    'the database does not answer: requests get 503 until it does. Check that it runs and can be reached from this host: crm doctor',
  over: 'the database answers again',
};

/**
 * Logs one line when an outage begins and one when it is over, for any number of failing requests and polls. The log
 * lines of these requests therefore contain only a status, not the error.
 */
export class OutageLog {
  readonly #logger: Logger;
  readonly #isOutage: (error: unknown) => boolean;
  readonly #texts: OutageTexts;
  #beganAtMs: number | undefined;
  #lastFailureMs = 0;

  /**
   * @param isOutage - whether an error means that the service is unavailable, not that it refused a request
   * @param texts - by default those about the database
   */
  constructor(logger: Logger, isOutage: (error: unknown) => boolean, texts = ofDatabase) {
    this.#logger = logger;
    this.#isOutage = isOutage;
    this.#texts = texts;
  }

  /** Records the error if it means an outage. @returns whether it does */
  recordIfOutage(error: unknown): boolean {
    if (!this.#isOutage(error)) return false;
    this.noteFailure(error);
    return true;
  }

  /** Records a failure. */
  noteFailure(error: unknown): void {
    this.#lastFailureMs = performance.now();
    if (this.#beganAtMs !== undefined) return;
    this.#beganAtMs = this.#lastFailureMs;
    this.#logger[this.#texts.level]({ err: error }, this.#texts.began);
  }

  /** Records a success. */
  noteSuccess(): void {
    if (this.#beganAtMs === undefined || performance.now() - this.#lastFailureMs < quietMs) return;
    const awayMs = Math.round(this.#lastFailureMs - this.#beganAtMs);
    this.#beganAtMs = undefined;
    this.#logger.info({ away_ms: awayMs }, this.#texts.over);
  }
}
