import { setImmediate } from 'node:timers/promises';
import { describe, expect, it, jest } from '@jest/globals';

import { RateGate, readRateLimit } from './rate-gate.js';
import { retryDelayMs } from './record-sender.js';

describe('readRateLimit', () => {
  it.each([
    ['"inbound";r=1499;t=60', { remaining: 1499, resetSeconds: 60 }],
    ['"key";r=50;t=30, "organization";r=3;t=12', { remaining: 3, resetSeconds: 12 }],
    ['nonsense', undefined],
    [null, undefined],
  ])('reads %s', (header, expected) => {
    expect(readRateLimit(header)).toEqual(expected);
  });
});

describe('RateGate', () => {
  const never = new AbortController().signal;
  /** Whether the gate lets a request in at once. */
  const isOpen = async (gate: RateGate): Promise<boolean> => {
    const stop = new AbortController();
    const entered = gate.enter(stop.signal).then(
      () => true,
      () => false,
    );
    const isIn = await Promise.race([entered, setImmediate().then(() => false)]);
    stop.abort();
    return isIn;
  };

  it('closes if the running requests may use up the remaining ones, and opens again', async () => {
    const gate = new RateGate();
    await gate.enter(never);
    await gate.enter(never);
    gate.leave({ remaining: 2, resetSeconds: 60 });
    expect(await isOpen(gate)).toBe(true);
    gate.leave({ remaining: 1, resetSeconds: 60 });
    expect(await isOpen(gate)).toBe(false);
    const clock = jest.spyOn(performance, 'now').mockReturnValue(performance.now() + 60_000);
    expect(await isOpen(gate)).toBe(true);
    clock.mockRestore();
  });

  it('rejects waiting requests when the import stops', async () => {
    const gate = new RateGate();
    gate.closeFor(60_000);
    const stop = new AbortController();
    const waiting = gate.enter(stop.signal);
    stop.abort();
    await expect(waiting).rejects.toThrow(/abort/i);
  });
});

describe('retryDelayMs', () => {
  it.each([
    [1, 0, 50, 100],
    [3, 0, 200, 400],
    [50, 0, 5_000, 10_000],
    [1, 5_000, 5_000, 5_000],
  ])('after attempt %d, if the server asks for %d ms, is from %d to %d ms', (attempt, askedMs, least, most) => {
    const delayMs = retryDelayMs(attempt, askedMs);
    expect(delayMs).toBeGreaterThanOrEqual(least);
    expect(delayMs).toBeLessThanOrEqual(most);
  });
});
