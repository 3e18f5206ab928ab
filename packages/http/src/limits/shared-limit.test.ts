import { describe, expect, it } from '@jest/globals';
import { SharedLimit, shareOf } from './shared-limit.js';
import { Exchange } from '../exchange.js';
import { WaitingRequests } from './waiting.js';

describe('shareOf', () => {
  it('is four fifths, rounded down, and at least one', () => {
    expect([1, 2, 4, 5, 10, 256].map(shareOf)).toEqual([1, 1, 3, 4, 8, 204]);
  });
});

describe('SharedLimit', () => {
  it('limit each organization to its share and all of them to the total', () => {
    const limit = new SharedLimit({ total: 5 });
    const releases = Array.from({ length: 4 }, () => limit.take('a'));
    expect([limit.hasRoom('a'), limit.hasRoom('b'), limit.isExhausted]).toEqual([false, true, false]);
    limit.take('b');
    expect([limit.hasRoom('b'), limit.hasRoom('c'), limit.isExhausted]).toEqual([false, false, true]);
    releases[0]?.();
    expect([limit.hasRoom('a'), limit.hasRoom('c')]).toEqual([false, true]);
  });

  it('count amounts and return each one once', () => {
    const limit = new SharedLimit({ total: 100 });
    const release = limit.take('a', 60);
    expect([limit.hasRoom('a', 20), limit.hasRoom('a', 21)]).toEqual([true, false]);
    expect([limit.hasRoom('b', 40), limit.hasRoom('b', 41)]).toEqual([true, false]);
    release();
    release();
    expect(limit.total).toBe(0);
  });

  it('let an organization that holds nothing take more than its share once', () => {
    const limit = new SharedLimit({ total: 100 });
    expect([limit.hasRoom('a', 90), limit.hasRoom('a', 101)]).toEqual([true, false]);
    limit.take('a', 90);
    expect([limit.hasRoom('a', 1), limit.hasRoom('b', 20)]).toEqual([false, false]);
  });

  it('make an organization wait for its own earlier callers, in order, but not for others', async () => {
    const limit = new SharedLimit({ share: 1 });
    const first = await limit.takeWithin('a', 0);
    const order: string[] = [];
    const waiting = ['second', 'third'].map(async (name) => {
      const release = await limit.takeWithin('a', 10_000);
      order.push(name);
      release?.();
    });
    expect(await limit.takeWithin('b', 0)).not.toBeNull();
    first?.();
    // Room that was passed on is no longer free, even before its new holder has resumed.
    expect(limit.hasRoom('a')).toBe(false);
    await Promise.all(waiting);
    expect(order).toEqual(['second', 'third']);
    expect(limit.hasRoom('a')).toBe(true);
  });

  it('serve organizations that wait for a part of the total in turn', async () => {
    const limit = new SharedLimit({ share: 8, total: 10 });
    const first = [limit.take('a', 8), limit.take('b', 2)];
    const order: string[] = [];
    const waiting = ['b', 'b', 'c', 'a'].map((name) =>
      limit.takeWithin(name, 10_000, 4).then((release) => {
        order.push(name);
        release?.();
      }),
    );
    // A request that fits still waits for earlier ones of its organization.
    const small = limit.takeWithin('a', 10_000, 1).then((release) => {
      order.push('small');
      release?.();
    });
    expect(order).toEqual([]);
    for (const release of first) release();
    await Promise.all([...waiting, small]);
    expect(order).toEqual(['b', 'c', 'a', 'small', 'b']);
    expect(limit.total).toBe(0);
  });

  it('return null if nothing is returned in time, and forget the waiting caller', async () => {
    const limit = new SharedLimit({ share: 1 });
    const release = await limit.takeWithin('a', 0);
    expect(await limit.takeWithin('a', 10)).toBeNull();
    release?.();
    expect(limit.hasRoom('a')).toBe(true);
  });

  it('let each organization take four fifths of what the others leave free', () => {
    const limit = new SharedLimit({ total: 100 });
    const takeAll = (organizationId: string): number => {
      let taken = 0;
      for (; limit.hasRoom(organizationId); taken += 1) limit.take(organizationId);
      return taken;
    };
    expect(['a', 'b', 'c', 'd', 'e'].map(takeAll)).toEqual([80, 16, 3, 1, 0]);
  });

  it('give an organization a smaller share while another one was active within the last minute', async () => {
    const clock = { ms: 0 };
    const limit = new SharedLimit({ share: 8, shareBesideOthers: 2 }, () => clock.ms);
    const held = Array.from({ length: 7 }, () => limit.take('a'));
    expect(limit.hasRoom('a')).toBe(true);
    limit.take('b')();
    expect([limit.hasRoom('a'), limit.hasRoom('b')]).toEqual([false, true]);
    // What is returned goes to a waiting caller only within the smaller share.
    const waiting = [limit.takeWithin('a', 50), limit.takeWithin('a', 50)];
    for (const release of held.slice(1)) release();
    expect((await Promise.all(waiting)).map((release) => release === null)).toEqual([false, true]);
    clock.ms = 59_999;
    expect(limit.hasRoom('a')).toBe(false);
    clock.ms = 60_000;
    expect(limit.hasRoom('a')).toBe(true);
  });
});

describe('a waiting request', () => {
  it.each<
    [string, boolean, (ways: { news: () => void; exchange: Exchange; waiting: WaitingRequests }) => void, number]
  >([
    ['news', true, ({ news }) => news(), 60_000],
    ['the caller', false, ({ exchange }) => exchange.close(), 60_000],
    ['the gateway', false, ({ waiting }) => waiting.stop(), 60_000],
    ['its time', false, () => undefined, 1],
  ])('is ended by %s, and only once, whatever happens later', async (_by, hasNews, end, leftMs) => {
    const waiting = new WaitingRequests(2);
    const exchange = new Exchange('request-1', '/v1/events', '');
    let news = (): void => undefined;
    let unsubscribed = 0;
    const subscribe = (onNews: () => void) => {
      news = onNews;
      return () => void (unsubscribed += 1);
    };
    const held = waiting.hold(exchange, 'a', { forMs: leftMs, subscribe }, leftMs);
    expect(waiting.total).toBe(1);
    const ways = { news, exchange, waiting };
    end(ways);
    expect(await held).toBe(hasNews);
    exchange.close();
    waiting.stop();
    expect([unsubscribed, waiting.total, waiting.isStopped]).toEqual([1, 0, true]);
  });
});
