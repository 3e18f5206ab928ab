import { setImmediate } from 'node:timers/promises';
import { describe, expect, it } from '@jest/globals';
import { runInTurns, type Steps } from './turns.js';

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
  it('returns the result of the work', async () => {
    expect(await runInTurns(workOf(3))).toBe(3);
  });

  it('lets others have a turn after each step, however much work is running', async () => {
    let turns = 0;
    let isOver = false;
    const count = async (): Promise<void> => {
      while (!isOver) {
        await setImmediate();
        turns += 1;
      }
    };
    const counting = count();
    await Promise.all([runInTurns(workOf(20)), runInTurns(workOf(20)), runInTurns(workOf(20))]);
    isOver = true;
    await counting;
    // Not 60, because each piece of work runs its first step at once.
    expect(turns).toBeGreaterThanOrEqual(57);
  });

  it('rejects if the work throws', async () => {
    function* failing(): Steps<void> {
      yield;
      throw new Error('no');
    }
    await expect(runInTurns(failing())).rejects.toThrow('no');
  });
});
