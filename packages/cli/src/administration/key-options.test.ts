import { describe, expect, it } from '@jest/globals';

import { allowedOperations, expiry, requestLimits } from './key-options.js';

describe('allowedOperations', () => {
  it('takes groups and single operations, each once', () => {
    expect(allowedOperations('list, createNote,list')).toEqual(['list', 'createNote']);
    expect(allowedOperations('bulkUpdateOpportunities', ['list'])).toEqual(['list', 'bulkUpdateOpportunities']);
  });

  it.each(['lists', 'createNotice', '', 'list,,search', 'LIST'])(
    'refuses %j, which would never allow anything',
    (text) => {
      expect(() => allowedOperations(text)).toThrow(/neither a group/);
    },
  );
});

describe('requestLimits', () => {
  it('reads requests a minute by group', () => {
    expect(requestLimits('list=5,search=0', { bulk: 1 })).toEqual({ list: 5, search: 0, bulk: 1 });
  });

  it.each(['list', 'list=', 'list=-1', 'list=1.5', 'delete=5', '__proto__=5'])('refuses %j', (text) => {
    expect(() => requestLimits(text)).toThrow(/GROUP=REQUESTS_A_MINUTE/);
  });
});

describe('expiry', () => {
  const now = Date.UTC(2026, 0, 1);

  it.each([
    ['90d', '2026-04-01T00:00:00.000Z'],
    ['12h', '2026-01-01T12:00:00.000Z'],
    ['30m', '2026-01-01T00:30:00.000Z'],
    ['2026-02-01', '2026-02-01T00:00:00.000Z'],
    ['2026-02-01T10:00:00+02:00', '2026-02-01T08:00:00.000Z'],
  ])('reads %s', (text, expected) => {
    expect(expiry(text, now).toISOString()).toBe(expected);
  });

  it.each(['soon', '1', '5w', '2026-02-01T10:00:00', '2026-13-01', '2025-12-31', '0d'])('refuses %s', (text) => {
    expect(() => expiry(text, now)).toThrow(/Must be|past/);
  });
});
