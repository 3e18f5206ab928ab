import { describe, expect, it } from '@jest/globals';
import fc from 'fast-check';
import {
  formatDate,
  formatInstant,
  isCalendarDate,
  maxEpochMs,
  minEpochMs,
  parseDate,
  parseInstant,
  parseTime,
  readInstantText,
} from './calendar.js';

describe('isCalendarDate', () => {
  it.each(['2026-02-28', '2024-02-29', '2000-02-29', '0001-01-01', '9999-12-31', '2026-04-30', '2026-12-31'])(
    'accepts %s',
    (text) => expect(isCalendarDate(text)).toBe(true),
  );

  it.each([
    '2026-02-30',
    '2026-02-29',
    '1900-02-29',
    '2026-04-31',
    '2026-13-01',
    '2026-00-10',
    '2026-01-00',
    '0000-01-01',
    '2026-1-1',
    '+002026-01-01',
    '2026-01-01T00:00:00Z',
    ' 2026-01-01',
    '2026-01-01\n',
    '２０２６-01-01',
    '',
  ])('refuses %j', (text) => expect(isCalendarDate(text)).toBe(false));

  it("accepts every day of the platform's calendar", () => {
    fc.assert(
      fc.property(fc.integer({ min: minEpochMs, max: maxEpochMs }), (epochMs) => {
        expect(isCalendarDate(formatDate(epochMs))).toBe(true);
      }),
    );
  });
});

describe('parseInstant', () => {
  it.each([
    ['2026-02-28T09:30:00Z', '2026-02-28T09:30:00.000Z'],
    ['2026-02-28t09:30:00.5z', '2026-02-28T09:30:00.500Z'],
    ['2026-02-28T23:30:00+01:00', '2026-02-28T22:30:00.000Z'],
    ['2026-02-28T23:30:00-05:30', '2026-03-01T05:00:00.000Z'],
    ['2026-02-28T09:30:00-00:00', '2026-02-28T09:30:00.000Z'],
    ['2026-02-28T09:30:00.123999999Z', '2026-02-28T09:30:00.123Z'],
    ['1969-12-31T23:59:59.999999Z', '1969-12-31T23:59:59.999Z'],
    ['0001-01-01T00:00:00Z', '0001-01-01T00:00:00.000Z'],
    ['9999-12-31T23:59:59.999Z', '9999-12-31T23:59:59.999Z'],
    ['9999-12-31T23:59:59.999+23:59', '9999-12-31T00:00:59.999Z'],
  ])('reads %s as %s', (text, instant) => {
    const parsed = parseInstant(text);
    expect(parsed.ok && formatInstant(parsed.value)).toBe(instant);
  });

  it.each([
    '2026-02-30T00:00:00Z',
    '2026-02-28T09:30:00',
    '2026-02-28T09:30Z',
    '2026-02-28 09:30:00Z',
    '2026-12-31T23:59:60Z',
    '2026-02-28T24:00:00Z',
    '2026-02-28T09:60:00Z',
    '2026-02-28T09:30:00+24:00',
    '2026-02-28T09:30:00+01:60',
    '2026-02-28T09:30:00+0100',
    '2026-02-28T09:30:00.Z',
    '2026-02-28T09:30:00.1234567890Z',
    '0001-01-01T00:00:00+00:01',
    '9999-12-31T23:59:59.999-00:01',
    '2026-02-28',
    '1772271000000',
    'now',
  ])('refuses %s', (text) => expect(readInstantText(text)).toBeUndefined());

  it('accepts whole epoch milliseconds from year 1 to year 9999', () => {
    expect(parseInstant(minEpochMs)).toEqual({ ok: true, value: minEpochMs });
    expect(parseInstant(maxEpochMs)).toEqual({ ok: true, value: maxEpochMs });
    for (const input of [minEpochMs - 1, maxEpochMs + 1, 0.5, NaN, Infinity, null, true, {}, undefined]) {
      expect(parseInstant(input).ok).toBe(false);
    }
  });

  it('formats instants so that they sort as text and parse back', () => {
    const anyInstant = fc.integer({ min: minEpochMs, max: maxEpochMs });
    fc.assert(
      fc.property(anyInstant, anyInstant, (a, b) => {
        expect(formatInstant(a)).toHaveLength(24);
        expect(readInstantText(formatInstant(a))).toBe(a);
        expect(formatInstant(a) < formatInstant(b)).toBe(a < b);
      }),
    );
  });
});

describe('parseDate', () => {
  it('converts epoch milliseconds to their UTC day, also before 1970', () => {
    expect(parseDate(Date.UTC(2026, 1, 28, 23, 59, 59, 999))).toEqual({ ok: true, value: '2026-02-28' });
    expect(parseDate(-1)).toEqual({ ok: true, value: '1969-12-31' });
    expect(parseDate(minEpochMs)).toEqual({ ok: true, value: '0001-01-01' });
  });
});

describe('parseTime', () => {
  it.each([
    ['00:00', '00:00:00'],
    ['23:59:59', '23:59:59'],
  ])('reads %s as %s', (text, time) => expect(parseTime(text)).toEqual({ ok: true, value: time }));

  it.each(['24:00', '23:60', '23:59:60', '9:30', '09:30:00.5', '09:30Z', '', 930, null])('refuses %j', (input) =>
    expect(parseTime(input).ok).toBe(false),
  );
});
