import type { ServerFacts } from '@crm/db';
import { describe, expect, it, test } from '@jest/globals';

import { checkConnections, checkServer } from './check-server.js';

const healthy: ServerFacts = {
  versionNumber: 180_004,
  encoding: 'UTF8',
  isSuperuser: false,
  isInRecovery: false,
  durability: { fsync: 'on', synchronous_commit: 'on', full_page_writes: 'on' },
  connectionLimit: 97,
  extensions: ['plpgsql', 'pg_trgm', 'btree_gin'],
  clockMs: 1_000_000,
  replayLagMs: null,
};

const statusesOf = (changes: Partial<ServerFacts>, askedAtMs = 1_000_000, answeredAtMs = 1_000_100) =>
  Object.fromEntries(
    checkServer({ ...healthy, ...changes }, askedAtMs, answeredAtMs)
      .filter(({ status }) => status !== 'ok')
      .map(({ check, status }) => [check, status]),
  );

describe('checkServer and checkConnections', () => {
  test('accepts a healthy server', () => {
    expect(statusesOf({})).toEqual({});
  });

  test.each<[string, Partial<ServerFacts>, Readonly<Record<string, string>>]>([
    ['an old version', { versionNumber: 140_012 }, { version: 'problem' }],
    ['an untested version', { versionNumber: 190_000 }, { version: 'warning' }],
    ['an encoding that cannot hold every name', { encoding: 'LATIN1' }, { encoding: 'problem' }],
    ['a missing extension', { extensions: ['pg_trgm'] }, { extensions: 'problem' }],
    ['a superuser', { isSuperuser: true }, { role: 'warning' }],
    ['fsync=off', { durability: { ...healthy.durability, fsync: 'off' } }, { durability: 'problem' }],
    ['a replica', { isInRecovery: true }, { primary: 'problem' }],
  ])('reports %s', (_name, changes, found) => {
    expect(statusesOf(changes)).toEqual(found);
  });

  it('reports clocks that differ in either direction', () => {
    expect(statusesOf({ clockMs: 994_999 })).toEqual({ clock: 'problem' });
    expect(statusesOf({ clockMs: 1_005_101 })).toEqual({ clock: 'problem' });
    expect(statusesOf({ clockMs: 995_000 })).toEqual({});
    // A slow response does not count as a clock difference.
    expect(statusesOf({ clockMs: 1_030_000 }, 1_000_000, 1_060_000)).toEqual({});
  });

  it('counts the connections of all processes', () => {
    expect(checkConnections(healthy, [10, 10], 4).status).toBe('ok');
    expect(checkConnections(healthy, [10, 10], 5).status).toBe('problem');
    expect(checkConnections(healthy, [40, undefined], 2).status).toBe('problem');
  });
});
