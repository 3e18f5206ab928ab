import type pg from 'pg';
import { sqlStateOf } from './database-errors.js';

/** The server, the database or the role has no connection left. */
const tooManyConnections = '53300';

/** How long callers ask for no new connection after the server refused one, in milliseconds. */
const pauseMs = 1_000;

/**
 * Gives out the connections of a pool. A pool below its maximum opens a connection for a caller that finds none idle. When the
 * server refuses that because others use all its connections, the caller waits here for one that the pool has.
 */
export class ConnectionSource {
  readonly #pool: pg.Pool;
  readonly #waitMs: number;
  readonly #onWait: ((waitMs: number) => void) | undefined;
  /** Open connections, idle or in use. The pool's own count includes those that are being opened. */
  #open = 0;
  #refusedUntilMs = 0;
  readonly #waiting: (() => void)[] = [];

  /** @param waitMs - how long a caller may wait; @param onWait - receives how long each caller waited, in milliseconds */
  constructor(pool: pg.Pool, waitMs: number, onWait?: (waitMs: number) => void) {
    this.#pool = pool;
    this.#waitMs = waitMs;
    this.#onWait = onWait;
    pool.on('connect', () => (this.#open += 1));
    pool.on('remove', () => {
      this.#open -= 1;
      this.#wakeNext();
    });
    pool.on('release', () => this.#wakeNext());
  }

  /** Takes a connection; the caller releases it. @throws Error of the driver when there is none in time */
  async connect(): Promise<pg.PoolClient> {
    const startedAtMs = performance.now();
    try {
      return await this.#connectBy(startedAtMs + this.#waitMs);
    } finally {
      this.#onWait?.(performance.now() - startedAtMs);
    }
  }

  async #connectBy(deadlineMs: number): Promise<pg.PoolClient> {
    for (;;) {
      if (this.#mayAsk()) {
        try {
          return await this.#pool.connect();
        } catch (error) {
          if (sqlStateOf(error) !== tooManyConnections || this.#open === 0) throw error;
          this.#refusedUntilMs = performance.now() + pauseMs;
        }
      }
      await this.#released(deadlineMs - performance.now());
    }
  }

  #mayAsk(): boolean {
    return this.#open === 0 || this.#pool.idleCount > 0 || performance.now() >= this.#refusedUntilMs;
  }

  /** The pool announces a connection before it has put it back. */
  #wakeNext(): void {
    setImmediate(() => this.#waiting.shift()?.());
  }

  /** Waits for a connection to be released. @throws Error as the pool's own when none is in time */
  #released(withinMs: number): Promise<void> {
    return new Promise((resolve, reject) => {
      const wake = (): void => {
        clearTimeout(timer);
        resolve();
      };
      const timer = setTimeout(() => {
        this.#waiting.splice(this.#waiting.indexOf(wake), 1);
        reject(new Error('timeout exceeded when trying to connect'));
      }, withinMs);
      this.#waiting.push(wake);
    });
  }
}
