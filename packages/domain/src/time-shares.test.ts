import { describe, expect, it } from '@jest/globals';
import { TimeShares } from './time-shares.js';

/** Shares with a share of 8 and a lasting share of 2. */
const createShares = () => {
  const clock = { ms: 0 };
  const shares = new TimeShares({ share: 8, lasting: 2 }, () => clock.ms);
  const take = (organizationId: string, count: number) =>
    Array.from({ length: count }, () => shares.take(organizationId));
  const visit = (organizationId: string): void => shares.take(organizationId)();
  return { shares, clock, take, visit };
};

describe('TimeShares', () => {
  it('let an organization hold its share for a moment, and then the lasting share while others call', () => {
    const { shares, clock, take, visit } = createShares();
    const releases = take('a', 7);
    clock.ms = 199;
    visit('b');
    expect(shares.hasRoom('a')).toBe(true);
    clock.ms = 200;
    expect(shares.hasRoom('a')).toBe(false);
    for (const release of releases.slice(1)) release();
    expect(shares.hasRoom('a')).toBe(true);
    take('a', 1);
    expect(shares.hasRoom('a')).toBe(false);
    // Other organizations hold the rest.
    take('b', 7);
    expect(shares.hasRoom('b')).toBe(true);
  });

  it('let an organization hold its share while no other one calls', () => {
    const { shares, clock, take, visit } = createShares();
    visit('b');
    take('a', 7);
    clock.ms = 59_999;
    expect(shares.hasRoom('a')).toBe(false);
    clock.ms = 60_000;
    expect(shares.hasRoom('a')).toBe(true);
    visit('c');
    visit('a');
    expect(shares.hasRoom('a')).toBe(false);
  });

  it('let an organization hold its share again after it held less than the lasting share for as long', () => {
    const { shares, clock, take, visit } = createShares();
    const releases = take('a', 7);
    clock.ms = 200;
    for (const release of releases.slice(2)) release();
    clock.ms = 5_000;
    visit('b');
    expect(shares.hasRoom('a')).toBe(false);
    releases[0]?.();
    clock.ms = 5_001;
    take('a', 1);
    expect(shares.hasRoom('a')).toBe(true);
    clock.ms = 5_100;
    take('a', 5);
    clock.ms = 5_101;
    visit('b');
    expect(shares.hasRoom('a')).toBe(false);
  });

  it('pass on what is returned only up to the lasting share', async () => {
    const { shares, clock, take, visit } = createShares();
    const releases = take('a', 8);
    clock.ms = 500;
    visit('b');
    let served = 0;
    const waiting = Array.from({ length: 3 }, async () => {
      if ((await shares.takeWithin('a', 50)) !== null) served += 1;
    });
    for (const release of releases.slice(0, 7)) release();
    await Promise.all(waiting);
    expect(served).toBe(1);
  });
});
