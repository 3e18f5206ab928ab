import { afterEach, describe, expect, it, jest } from '@jest/globals';
import { MemoryStore } from './memory-store.js';

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
