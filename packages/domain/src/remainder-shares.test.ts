import { describe, expect, test } from '@jest/globals';
import { RemainderShares } from './remainder-shares.js';

const takeAll = (shares: RemainderShares, organizationId: string): number => {
  let taken = 0;
  for (; shares.hasRoom(organizationId); taken += 1) shares.take(organizationId);
  return taken;
};

describe('RemainderShares', () => {
  test('give each organization half of what the others leave', () => {
    const shares = new RemainderShares(100);
    expect(['a', 'b', 'c'].map((organizationId) => takeAll(shares, organizationId))).toEqual([50, 25, 12]);
  });

  test('give an organization that holds none one while any is left', () => {
    const shares = new RemainderShares(3);
    expect(['a', 'b', 'c', 'd'].map((organizationId) => takeAll(shares, organizationId))).toEqual([1, 1, 1, 0]);
  });

  test('can be taken again once they are returned', () => {
    const shares = new RemainderShares(2);
    const giveBack = shares.take('a');
    expect(shares.hasRoom('a')).toBe(false);
    giveBack();
    expect(shares.hasRoom('a')).toBe(true);
  });
});
