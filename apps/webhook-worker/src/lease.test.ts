import { expect, test } from '@jest/globals';
import { claimMsFor, Lease } from './lease.js';

const attemptMs = 15_000;

test.each([
  ['just claimed', [], 0, true],
  ['not extended for 12 seconds', [], 12_999, true],
  ['not extended for 13 seconds', [], 13_000, false],
  ['extended', [10_000], 20_000, true],
  ['extended, and then no longer', [10_000], 23_000, false],
  ['extended late, by answers in another order', [10_000, 4_000], 20_000, true],
])('judges a claim that is %s', (_about, extensions, nowMs, mayStart) => {
  const lease = new Lease(0);
  for (const atMs of extensions) lease.extend(atMs);
  expect(lease.mayStart(nowMs)).toBe(mayStart);
});

test('R25: an attempt that may start ends before the claim can end', () => {
  for (let atMs = 0; atMs < 60_000; atMs += 100)
    if (new Lease(0).mayStart(atMs)) expect(atMs + attemptMs).toBeLessThan(claimMsFor(attemptMs));
});
