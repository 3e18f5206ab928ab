import { describe, expect, it } from '@jest/globals';
import { Pace } from './pace.js';

/** A receiver that accepts `rate` requests per second, at most `burst` at once, and answers after `latencyMs`. */
interface Limited {
  readonly rate: number;
  readonly burst: number;
  readonly latencyMs: number;
  readonly retryAfterMs: number | null;
}

/**
 * Sends events to a receiver in simulated time, each round until the receiver asks to wait. @returns the seconds until all are accepted, and
 * the number of refusals
 */
const simulate = (events: number, { rate, burst, latencyMs, retryAfterMs }: Limited) => {
  let nowMs = 0;
  let tokens = burst;
  let accepted = 0;
  let refusals = 0;
  let state: Pace['state'] = null;
  while (accepted < events) {
    const pace: Pace = new Pace(state);
    const ends: { readonly atMs: number; readonly startedMs: number; readonly isAccepted: boolean }[] = [];
    while (accepted < events) {
      const left = events - accepted - ends.filter(({ isAccepted }) => isAccepted).length;
      if (pace.waitUntilMs === null && left > 0 && pace.delayMs(nowMs) <= 0) {
        const isAccepted = tokens >= 1;
        if (isAccepted) tokens -= 1;
        pace.start(nowMs);
        ends.push({ atMs: nowMs + latencyMs, startedMs: nowMs, isAccepted });
        continue;
      }
      nowMs += 1;
      tokens = Math.min(burst, tokens + rate / 1_000);
      for (const end of ends.splice(0)) {
        if (end.atMs > nowMs) ends.push(end);
        else if (end.isAccepted) {
          pace.end();
          pace.accepted();
          accepted += 1;
        } else {
          pace.end();
          pace.refused(end.startedMs, nowMs, retryAfterMs);
          refusals += 1;
        }
      }
      if (pace.waitUntilMs !== null && ends.length === 0) break;
    }
    const waitMs = Math.max(0, (pace.waitUntilMs ?? 0) - nowMs);
    nowMs += waitMs;
    tokens = Math.min(burst, tokens + (rate * waitMs) / 1_000);
    ({ state } = pace);
  }
  return { seconds: nowMs / 1_000, refusals };
};

describe('Pace', () => {
  it.each<readonly [string, number, Limited]>([
    ['10 per second', 200, { rate: 10, burst: 10, latencyMs: 1, retryAfterMs: 1_000 }],
    ['10 per second, without a time', 200, { rate: 10, burst: 10, latencyMs: 1, retryAfterMs: null }],
    ['10 per second, 0 s', 200, { rate: 10, burst: 10, latencyMs: 1, retryAfterMs: 0 }],
    ['10 per second, 2 s', 200, { rate: 10, burst: 10, latencyMs: 50, retryAfterMs: 2_000 }],
    ['2 per second', 60, { rate: 2, burst: 2, latencyMs: 10, retryAfterMs: 1_000 }],
    ['50 per second', 1_000, { rate: 50, burst: 50, latencyMs: 20, retryAfterMs: 1_000 }],
    ['1 per second', 30, { rate: 1, burst: 1, latencyMs: 1, retryAfterMs: 1_000 }],
  ])('R33: is within twice the ideal time of a receiver that takes %s', (_about, events, limited) => {
    const { seconds, refusals } = simulate(events, limited);
    expect(seconds).toBeLessThanOrEqual((2 * events) / limited.rate);
    expect(refusals).toBeLessThan(events);
  });

  it('does not slow a receiver that never asks to wait', () => {
    const pace = new Pace(null);
    for (let event = 0; event < 1_000; event += 1) {
      expect(pace.delayMs(event)).toBe(0);
      pace.start(event);
      pace.end();
      pace.accepted();
    }
    expect(pace.state).toBeNull();
  });

  it('lets 16 requests run at the same time', () => {
    const pace = new Pace(null);
    for (let event = 0; event < 16; event += 1) pace.start(0);
    expect(pace.delayMs(0)).toBe(Number.POSITIVE_INFINITY);
    pace.end();
    expect(pace.delayMs(0)).toBe(0);
  });

  it('halves the parallel requests once for all refusals of one burst', () => {
    const pace = new Pace(null);
    for (let event = 0; event < 16; event += 1) pace.start(0);
    for (let event = 0; event < 16; event += 1) pace.refused(0, 5, 1_000);
    expect(pace.state).toMatchObject({ parallel: 8, refusals: 1 });
    expect(pace.waitUntilMs).toBe(1_005);
  });

  it.each([
    [1, null, 1_000],
    [1, 0, 1_000],
    [1, 7_000, 7_000],
    [5, null, 16_000],
    [5, 20_000, 20_000],
    [30, null, 300_000],
    [1, 10 ** 15, 3_600_000],
  ])('waits after %d refusals in a row with Retry-After of %p ms for %d ms', (refusals, askedMs, waitMs) => {
    const pace = new Pace({ parallel: 1, per_second: 1, refusals: refusals - 1 });
    pace.start(0);
    pace.refused(0, 0, askedMs);
    expect(pace.waitUntilMs).toBe(waitMs);
  });
});
