import type { Logger } from 'pino';

/** An outage is over when nothing failed for this long: in the middle of one, single requests may still succeed. */
const quietMs = 5_000;

/** The lines about one outage. */
export interface OutageTexts {
  readonly level: 'error' | 'warn';
  readonly began: string;
  readonly over: string;
}

const ofDatabase: OutageTexts = {
  level: 'error',
  began:
    'the database does not answer: requests get 503 until it does. Look whether it runs and can be reached from here (crm doctor)',
  over: 'the database answers again',
};

/**
 * Logs one line when an outage begins and one when it is over, however many requests and polls meet it. The lines of those
 * then need no more than their status.
 */
export class OutageLog {
  readonly #logger: Logger;
  readonly #isOutage: (error: unknown) => boolean;
  readonly #texts: OutageTexts;
  #beganAtMs: number | undefined;
  #lastFailureMs = 0;

  /**
   * `isOutage` says whether an error means that the database is away, rather than that it refused something; `texts` are
   * those about the database when absent.
   */
  constructor(logger: Logger, isOutage: (error: unknown) => boolean, texts = ofDatabase) {
    this.#logger = logger;
    this.#isOutage = isOutage;
    this.#texts = texts;
  }

  /** Whether an error is one of an outage; it is then noted as such. */
  covers(error: unknown): boolean {
    if (!this.#isOutage(error)) return false;
    this.noteFailure(error);
    return true;
  }

  /** Notes that there was no answer. */
  noteFailure(error: unknown): void {
    this.#lastFailureMs = performance.now();
    if (this.#beganAtMs !== undefined) return;
    this.#beganAtMs = this.#lastFailureMs;
    this.#logger[this.#texts.level]({ err: error }, this.#texts.began);
  }

  /** Notes that there was an answer. */
  noteSuccess(): void {
    if (this.#beganAtMs === undefined || performance.now() - this.#lastFailureMs < quietMs) return;
    const awayMs = Math.round(this.#lastFailureMs - this.#beganAtMs);
    this.#beganAtMs = undefined;
    this.#logger.info({ away_ms: awayMs }, this.#texts.over);
  }
}
