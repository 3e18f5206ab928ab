import { setImmediate } from 'node:timers/promises';
import type { Steps } from '@crm/domain';

/** How long work may block other requests, in milliseconds. */
const turnMs = 1;

let lastTurn: Promise<void> = Promise.resolve();

/**
 * Resolves in a later turn of the event loop, for one caller per turn. Other requests therefore never wait for several
 * pieces of long work in a row.
 */
const nextTurn = (): Promise<void> => (lastTurn = lastTurn.then(() => setImmediate()));

/** Runs long work step by step, for about a millisecond in each turn of the event loop. */
export const runInTurns = async <Result>(steps: Steps<Result>): Promise<Result> => {
  for (;;) {
    const endsAtMs = performance.now() + turnMs;
    do {
      const step = steps.next();
      if (step.done === true) return step.value;
    } while (performance.now() < endsAtMs);
    await nextTurn();
  }
};
