import { describe, expect, it } from '@jest/globals';
import { OrganizationShares, shareOf } from './organization-shares.js';
import { RemainderShares } from './remainder-shares.js';
import { TimeShares } from './time-shares.js';

describe('shareOf', () => {
  it('is four fifths, rounded down, and at least one', () => {
    expect([1, 2, 4, 5, 10, 256].map(shareOf)).toEqual([1, 1, 3, 4, 8, 204]);
  });
});

describe('OrganizationShares', () => {
  it('limit each organization to its share and all of them to the total', () => {
    const shares = new OrganizationShares({ share: 4, total: 5 });
    const releases = Array.from({ length: 4 }, () => shares.take('a'));
    expect([shares.hasRoom('a'), shares.hasRoom('b'), shares.isExhausted]).toEqual([false, true, false]);
    shares.take('b');
    expect([shares.hasRoom('b'), shares.hasRoom('c'), shares.isExhausted]).toEqual([false, false, true]);
    releases[0]?.();
    expect([shares.hasRoom('a'), shares.hasRoom('b')]).toEqual([true, true]);
  });

  it('count amounts and return each one once', () => {
    const shares = new OrganizationShares({ share: 80, total: 100 });
    const release = shares.take('a', 60);
    expect([shares.hasRoom('a', 20), shares.hasRoom('a', 21)]).toEqual([true, false]);
    expect([shares.hasRoom('b', 40), shares.hasRoom('b', 41)]).toEqual([true, false]);
    release();
    release();
    expect(shares.total).toBe(0);
  });

  it('let an organization that holds nothing take more than its share once', () => {
    const shares = new OrganizationShares({ share: 80, total: 100 });
    expect([shares.hasRoom('a', 90), shares.hasRoom('a', 101)]).toEqual([true, false]);
    shares.take('a', 90);
    expect([shares.hasRoom('a', 1), shares.hasRoom('b', 20)]).toEqual([false, false]);
  });

  it('make an organization wait for its own earlier callers, in order, but not for others', async () => {
    const shares = new OrganizationShares({ share: 1 });
    const first = await shares.takeWithin('a', 0);
    const order: string[] = [];
    const waiting = ['second', 'third'].map(async (name) => {
      const release = await shares.takeWithin('a', 10_000);
      order.push(name);
      release?.();
    });
    expect(await shares.takeWithin('b', 0)).not.toBeNull();
    first?.();
    // Room that was passed on is no longer free, even before its new holder has resumed.
    expect(shares.hasRoom('a')).toBe(false);
    await Promise.all(waiting);
    expect(order).toEqual(['second', 'third']);
    expect(shares.hasRoom('a')).toBe(true);
  });

  it('serve organizations that wait for a part of the total in turn', async () => {
    const shares = new OrganizationShares({ share: 8, total: 10 });
    const first = [shares.take('a', 8), shares.take('b', 2)];
    const order: string[] = [];
    const waiting = ['b', 'b', 'c', 'a'].map((name) =>
      shares.takeWithin(name, 10_000, 4).then((release) => {
        order.push(name);
        release?.();
      }),
    );
    // A request that fits still waits for earlier ones of its organization.
    const small = shares.takeWithin('a', 10_000, 1).then((release) => {
      order.push('small');
      release?.();
    });
    expect(order).toEqual([]);
    for (const release of first) release();
    await Promise.all([...waiting, small]);
    expect(order).toEqual(['b', 'c', 'a', 'small', 'b']);
    expect(shares.total).toBe(0);
  });

  it('return null if nothing is returned in time, and forget the waiting caller', async () => {
    const shares = new OrganizationShares({ share: 1 });
    const release = await shares.takeWithin('a', 0);
    expect(await shares.takeWithin('a', 10)).toBeNull();
    release?.();
    expect(shares.hasRoom('a')).toBe(true);
  });
});

const takeAll = (shares: RemainderShares, organizationId: string): number => {
  let taken = 0;
  for (; shares.hasRoom(organizationId); taken += 1) shares.take(organizationId);
  return taken;
};

describe('RemainderShares', () => {
  it('give each organization half of what the others leave', () => {
    const shares = new RemainderShares(100);
    expect(['a', 'b', 'c'].map((organizationId) => takeAll(shares, organizationId))).toEqual([50, 25, 12]);
  });

  it('give an organization that holds none one while any is left', () => {
    const shares = new RemainderShares(3);
    expect(['a', 'b', 'c', 'd'].map((organizationId) => takeAll(shares, organizationId))).toEqual([1, 1, 1, 0]);
  });

  it('can be taken again once they are returned', () => {
    const shares = new RemainderShares(2);
    const giveBack = shares.take('a');
    expect(shares.hasRoom('a')).toBe(false);
    giveBack();
    expect(shares.hasRoom('a')).toBe(true);
  });
});

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
