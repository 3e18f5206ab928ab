import { afterEach, describe, expect, it, jest } from '@jest/globals';
import { MemoryStore } from './memory-store.js';
import { runInTurns, type Steps } from './turns.js';

const windowMs = 60;
const hourMs = 3_600_000;

const untilItEnds = (): Promise<void> => new Promise((resolve) => setTimeout(resolve, windowMs + 5));
/** Sets the system clock forward or back. */
const setClock = (byMs: number): void => {
  const real = Date.now.bind(Date);
  jest.spyOn(Date, 'now').mockImplementation(() => real() + byMs);
};
afterEach(() => {
  jest.restoreAllMocks();
});

describe('MemoryStore', () => {
  it('counts per window', async () => {
    const store = new MemoryStore(windowMs);
    expect(store.increment('a').totalHits).toBe(1);
    expect(store.increment('a').totalHits).toBe(2);
    expect(store.increment('b').totalHits).toBe(1);
    await untilItEnds();
    expect(store.increment('a').totalHits).toBe(1);
  });

  it.each([-hourMs, hourMs])(
    'ends a window on time although the system clock is set forward by %d ms',
    async (byMs) => {
      const store = new MemoryStore(windowMs);
      store.increment('a');
      setClock(byMs);
      const { totalHits, resetTime } = store.increment('a');
      expect(totalHits).toBe(2);
      expect((resetTime?.getTime() ?? Infinity) - Date.now()).toBeLessThanOrEqual(windowMs);
      await untilItEnds();
      expect(store.increment('a').totalHits).toBe(1);
    },
  );

  it('drops the oldest window if there are too many', () => {
    const store = new MemoryStore(hourMs, 2);
    for (const key of ['a', 'b', 'c']) store.increment(key);
    expect(store.increment('c').totalHits).toBe(2);
    expect(store.increment('a').totalHits).toBe(1);
  });
});

const stepMs = 2;

/** Work that takes some time in each of its steps. */
function* workOf(steps: number): Steps<number> {
  for (let step = 0; step < steps; step += 1) {
    const endsAtMs = performance.now() + stepMs;
    while (performance.now() < endsAtMs);
    yield;
  }
  return steps;
}

describe('runInTurns', () => {
  it('lets others have a turn after each step, however much work is running', async () => {
    let turns = 0;
    let isOver = false;
    const count = async (): Promise<void> => {
      while (!isOver) {
        await new Promise((resolve) => setImmediate(resolve));
        turns += 1;
      }
    };
    const counting = count();
    const works = [runInTurns(workOf(5)), runInTurns(workOf(5)), runInTurns(workOf(5))];
    expect(await Promise.all(works)).toEqual([5, 5, 5]);
    isOver = true;
    await counting;
    // Not 15, because each piece of work runs its first step at once.
    expect(turns).toBeGreaterThanOrEqual(12);
  });

  it('rejects if the work throws', async () => {
    function* failing(): Steps<void> {
      yield;
      throw new Error('no');
    }
    await expect(runInTurns(failing())).rejects.toThrow('no');
  });
});
