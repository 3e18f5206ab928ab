import { setTimeout as sleep } from 'node:timers/promises';

/** Only a guard against hanging: what tests wait for takes far less, even on a busy machine. */
const patienceMs = 120_000;

/**
 * Polls until a condition holds. Neither a condition that is slow nor one that never answers makes it wait longer than its guard. The
 * timer of Node is no clock that a test can move.
 * @param longestMs - the guard, for tests of this function
 * @throws Error with the condition if it does not in time
 */
export const until = async (
  holds: () => boolean | Promise<boolean>,
  everyMs = 10,
  longestMs = patienceMs,
): Promise<void> => {
  const end = new AbortController();
  const { signal } = end;
  const poll = async (): Promise<void> => {
    while (!(await holds()) && !signal.aborted) await sleep(everyMs);
  };
  const giveUp = async (): Promise<never> => {
    await sleep(longestMs, undefined, { signal });
    throw new Error(`This did not hold within ${longestMs} ms: ${holds.toString()}`);
  };
  try {
    await Promise.race([poll(), giveUp()]);
  } finally {
    end.abort();
  }
};

/** More pages than any test reads. */
const mostPages = 10_000;

/**
 * Guards a walk through pages against one that never ends. The returned function takes the cursor of each next page and returns it.
 * @throws Error if the cursor came before, or if there are too many pages
 */
export const guardWalk = (): (<Cursor>(next: Cursor) => Cursor) => {
  const seen = new Set<unknown>();
  return (next) => {
    if (next === null || next === undefined) return next;
    if (seen.has(next))
      throw new Error(`The walk goes in a circle: page ${seen.size} has a cursor again, ${String(next)}`);
    if (seen.size === mostPages) throw new Error(`The walk has more than ${mostPages} pages`);
    seen.add(next);
    return next;
  };
};

/** The most tries of a call, a second apart. */
const maxTries = 60;

/**
 * Sends a call again while it is answered 503, as clients do: on a busy machine, calls wait for each other for longer than a gateway
 * allows.
 * @param onRepeat - called before each repeat
 */
export const untilServed = async <T extends { readonly status: number }>(
  call: () => Promise<T>,
  onRepeat: () => void = () => undefined,
): Promise<T> => {
  for (let tries = 1; ; tries += 1) {
    const answer = await call();
    if (answer.status !== 503 || tries === maxTries) return answer;
    onRepeat();
    await sleep(1_000);
  }
};
