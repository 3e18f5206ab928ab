import { readFileSync } from 'node:fs';
import { describe, expect, it } from '@jest/globals';
import { allowedOperations, expiry, keyId, organizationLimits, overlap, pastInstant, requestLimits } from './values.js';

describe('the id of a key', () => {
  it('is not the key itself or a part of it, which is not printed', () => {
    for (const text of ['crm_live_secret', 'live_secret'])
      expect(() => keyId(text)).toThrow(/^This is not the id of a key, or it is the key itself\. See: crm key list$/);
  });
});

describe('--expires, --since and --overlap', () => {
  const now = Date.UTC(2026, 0, 2);

  it.each([
    [expiry('90d', now), '2026-04-02T00:00:00.000Z'],
    [expiry('30m', now), '2026-01-02T00:30:00.000Z'],
    [expiry('2026-02-01T10:00:00+02:00', now), '2026-02-01T08:00:00.000Z'],
    [pastInstant('24h', now), '2026-01-01T00:00:00.000Z'],
    [pastInstant('2026-02-01', now), '2026-02-01T00:00:00.000Z'],
  ])('read %s', (instant, expected) => {
    expect(instant.toISOString()).toBe(expected);
  });

  it('refuse texts without a unit or a time zone, and an expiry that is over', () => {
    for (const text of ['soon', '1', '5w', '2026-02-01T10:00:00', '2026-13-01', '2025-12-31', '0d'])
      expect(() => expiry(text, now)).toThrow(/Must be|past/);
    expect([overlap('0'), overlap('30m'), overlap('7d')]).toEqual([0, 1_800_000, 604_800_000]);
    for (const text of ['', '1', '-1h', '2030-01-01']) expect(() => overlap(text)).toThrow(/Must be/);
  });
});

describe('--allow and --limit', () => {
  it('accept groups and every operation of the gateways, and refuse other words', () => {
    expect(allowedOperations('list, createNote,list')).toEqual(['list', 'createNote']);
    for (const gateway of ['read', 'inbound']) {
      const file = new URL(`../../../../docs/openapi/${gateway}-gateway.json`, import.meta.url);
      const { paths } = JSON.parse(readFileSync(file, 'utf8')) as {
        paths: Record<string, Record<string, { operationId: string }>>;
      };
      const ids = Object.entries(paths)
        .filter(([path]) => path.startsWith('/v1/'))
        .flatMap(([, methods]) => Object.values(methods).map(({ operationId }) => operationId));
      expect(ids.length).toBeGreaterThan(20);
      expect(allowedOperations(ids.join(','))).toEqual(ids);
    }
    for (const text of ['lists', 'createNotice', '', 'list,,search', 'LIST'])
      expect(() => allowedOperations(text)).toThrow(/neither a group/);
  });

  it('read requests a minute by group, and "default" only for an organization', () => {
    expect(requestLimits('list=5,search=0', { bulk: 1 })).toEqual({ list: 5, search: 0, bulk: 1 });
    expect(organizationLimits('list=5,bulk=default')).toEqual({ list: 5, bulk: null });
    for (const text of ['list', 'list=-1', 'list=1.5', 'delete=5', '__proto__=5', 'list=default'])
      expect(() => requestLimits(text)).toThrow(/GROUP=REQUESTS_A_MINUTE/);
    for (const text of ['list=Default', 'list=constructor'])
      expect(() => organizationLimits(text)).toThrow(/GROUP=REQUESTS_A_MINUTE/);
  });
});
