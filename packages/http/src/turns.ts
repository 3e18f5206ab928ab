import { setImmediate } from 'node:timers/promises';

/** How long work may hold up other requests, in milliseconds. */
const turnMs = 1;

let lastTurn: Promise<void> = Promise.resolve();

/** Resolves in a turn of the event loop that no other work gets, so that other requests wait for one piece of work at a time. */
const nextTurn = (): Promise<void> => (lastTurn = lastTurn.then(() => setImmediate()));

/** Work in steps: it yields after each, where other requests may be served before it goes on. */
export type Steps<Result> = Generator<undefined, Result>;

/** Does work of many steps, which takes long, a few milliseconds in each turn of the event loop. */
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
