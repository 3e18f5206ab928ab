import { describe, expect, it } from '@jest/globals';
import { OrganizationShares, shareOf } from './organization-shares.js';

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
