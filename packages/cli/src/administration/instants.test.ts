import { describe, expect, it } from '@jest/globals';

import { expiry, overlap, pastInstant } from './instants.js';

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

describe('pastInstant', () => {
  const now = Date.UTC(2026, 0, 2);

  it.each([
    ['24h', '2026-01-01T00:00:00.000Z'],
    ['2026-02-01', '2026-02-01T00:00:00.000Z'],
  ])('reads %s', (text, expected) => {
    expect(pastInstant(text, now).toISOString()).toBe(expected);
  });
});

describe('overlap', () => {
  it.each([
    ['0', 0],
    ['30m', 1_800_000],
    ['24h', 86_400_000],
    ['7d', 604_800_000],
  ])('reads %s', (text, expected) => {
    expect(overlap(text)).toBe(expected);
  });

  it.each(['', '1', '-1h', 'soon', '2030-01-01'])('refuses %j', (text) => {
    expect(() => overlap(text)).toThrow(/Must be/);
  });
});
