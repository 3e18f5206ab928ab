import { describe, expect, it } from '@jest/globals';
import { Receiver, verdictOf } from './receiver.js';

const attempt = { isDelivered: false, status: 500, error: 'x', response: '', durationMs: 1, retryAfterMs: null };
const dayMs = 86_400_000;

describe('verdictOf', () => {
  it.each([
    [{ isDelivered: true, status: 204 }, 'delivered'],
    [{ status: 500 }, 'failed'],
    [{ status: 500, retryAfterMs: 1_000 }, 'failed'],
    [{ status: 422 }, 'failed'],
    [{ status: null }, 'failed'],
    [{ status: 410 }, 'gone'],
    [{ status: 429 }, 'deferred'],
    [{ status: 429, retryAfterMs: 0 }, 'deferred'],
    [{ status: 503 }, 'failed'],
    [{ status: 503, retryAfterMs: 5_000 }, 'deferred'],
  ])('judges %j', (found, verdict) => {
    expect(verdictOf({ ...attempt, ...found })).toBe(verdict);
  });
});

/** Letters of tries: n and r fail, the first try of a new record and a retry; N and R deliver. */
const after = (tries: string, failures = 0, failingMs: number | null = null): Receiver => {
  const receiver = new Receiver({ failures, failing_ms: failingMs }, 3 * dayMs);
  for (const letter of tries) {
    if (letter === 'N' || letter === 'R') receiver.delivered();
    else receiver.failed(letter === 'n');
  }
  return receiver;
};

describe('Receiver', () => {
  it.each([
    ['', false],
    ['nnnn', false],
    ['nnnnn', true],
    ['rrrrrrrrrr', false],
    ['nrrrrrrrrr', false],
    ['nnnrrnrrn', true],
    ['nnnnNn', false],
    ['nnnnRn', false],
    ['nnnnnn'.repeat(20), true],
    ['nnnnnN', false],
    ['nnnnnR', false],
  ])('after the tries %s, it is failing: %s', (tries, isFailing) => {
    expect(after(tries).isFailing).toBe(isFailing);
  });

  it.each([
    ['n', 4, 3 * dayMs, true],
    ['r', 5, 3 * dayMs, true],
    ['n', 4, 3 * dayMs - 1, false],
    // One record, refused for good, on a quiet webhook.
    ['r', 1, 30 * dayMs, false],
    ['nN', 40, 30 * dayMs, false],
    ['', 40, 30 * dayMs, false],
  ])('with the tries %s after %d failures in %d ms, it is disabled: %s', (tries, failures, failingMs, isDisabled) => {
    const reason = isDisabled ? 'no delivery succeeded for 3 days' : null;
    expect(after(tries, failures, failingMs).disabledBecause).toBe(reason);
  });

  it('gives a receiver that is down new records ever more rarely: at most a twentieth of the outage, at most 5 minutes', () => {
    let outageMs = 0;
    let requests = 0;
    const receiver = after('nnnnn');
    while (outageMs < 3 * dayMs) {
      expect(receiver.probeDelayMs).toBeLessThanOrEqual(Math.min(300_000, 10 + outageMs / 19));
      outageMs += receiver.probeDelayMs;
      requests += 1;
      receiver.failed(true);
      // A hundred records that are refused in a row cost seconds.
      if (requests === 100) expect(outageMs).toBeLessThan(6_000);
    }
    expect(requests).toBeLessThan(1_200);
  });
});
