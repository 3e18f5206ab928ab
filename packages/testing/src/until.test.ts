import { setTimeout as sleep } from 'node:timers/promises';
import { describe, expect, test } from '@jest/globals';
import { until } from './until.js';

describe('until', () => {
  test('waits until the condition holds, also if it is slow', async () => {
    let rounds = 0;
    await until(async () => (await sleep(1, (rounds += 1))) === 3, 1);
    expect(rounds).toBe(3);
  });

  test.each([
    ['never holds', () => false],
    ['takes longer than the guard', () => sleep(3_600_000, false, { ref: false })],
    ['never answers', () => new Promise<boolean>(() => undefined)],
  ])('says what it waited for if the condition %s, and stops asking', async (_about, condition) => {
    let rounds = 0;
    const holds = () => ((rounds += 1), condition());
    await expect(until(holds, 1, 20)).rejects.toThrow(/^This did not hold within 20 ms: .*condition\(\)/);
    const before = rounds;
    await sleep(5);
    expect(rounds - before).toBeLessThanOrEqual(1);
  });

  test('fails as its condition does', async () => {
    await expect(until(() => Promise.reject(new Error('it has ended')))).rejects.toThrow('it has ended');
  });
});
