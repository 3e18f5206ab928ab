import { setTimeout as sleep } from 'node:timers/promises';
import type { Pace } from './pace.js';

/** The longest pause before the conditions of a start are checked again. */
const checkEveryMs = 100;

/** Lets the requests of a round start at the pace of the receiver, in the order in which they ask. */
export class Turns {
  readonly #pace: Pace;
  #last: Promise<unknown> = Promise.resolve();
  #wake: () => void = () => undefined;

  constructor(pace: Pace) {
    this.#pace = pace;
  }

  /** Waits for a turn. @returns false if `mayStart` forbids it meanwhile */
  enter(mayStart: () => boolean): Promise<boolean> {
    const turn = this.#last.then(() => this.#wait(mayStart));
    this.#last = turn;
    return turn;
  }

  /** Ends a turn. */
  leave(): void {
    this.#pace.end();
    this.#wake();
  }

  async #wait(mayStart: () => boolean): Promise<boolean> {
    while (mayStart()) {
      const delayMs = this.#pace.delayMs(performance.now());
      if (delayMs <= 0) {
        this.#pace.start(performance.now());
        return true;
      }
      const timer = new AbortController();
      const woken = new Promise<void>((resolve) => {
        this.#wake = resolve;
      });
      const paused = sleep(Math.min(delayMs, checkEveryMs), undefined, { signal: timer.signal });
      await Promise.race([woken, paused.catch(() => undefined)]);
      timer.abort();
    }
    return false;
  }
}
