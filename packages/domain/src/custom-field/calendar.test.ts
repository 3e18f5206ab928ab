import { describe, expect, it } from '@jest/globals';
import {
  formatInstant,
  isCalendarDate,
  maxEpochMs,
  minEpochMs,
  parseDealDate,
  parseInstant,
  parseMoment,
  parseTime,
  parseTimestamp,
  readInstantText,
} from './calendar.js';

describe('dates and times', () => {
  it('are days of the Gregorian calendar, years 0001 to 9999', () => {
    const days = ['2024-02-29', '2000-02-29', '0001-01-01', '9999-12-31', '2026-04-30'];
    const others = ['2026-02-29', '1900-02-29', '2026-04-31', '2026-13-01', '2026-00-10', '2026-01-00', '0000-01-01'];
    const malformed = ['2026-1-1', '+002026-01-01', '2026-01-01T00:00:00Z', ' 2026-01-01', '2026-01-01\n'];
    expect(days.filter((text) => !isCalendarDate(text))).toEqual([]);
    expect([...others, ...malformed, '２０２６-01-01', ''].filter(isCalendarDate)).toEqual([]);
  });

  it.each([
    ['2026-02-28t09:30:00.5z', '2026-02-28T09:30:00.500Z'],
    ['2026-02-28T23:30:00-05:30', '2026-03-01T05:00:00.000Z'],
    ['2026-02-28T09:30:00.123999999Z', '2026-02-28T09:30:00.123Z'],
    ['1969-12-31T23:59:59.999999Z', '1969-12-31T23:59:59.999Z'],
    ['0001-01-01T00:00:00Z', '0001-01-01T00:00:00.000Z'],
    ['9999-12-31T23:59:59.999+23:59', '9999-12-31T00:00:59.999Z'],
    ['2026-02-28T09:30:00.000+0100', '2026-02-28T08:30:00.000Z'],
    ['2026-02-28 09:30:00-05', '2026-02-28T14:30:00.000Z'],
    ['2026-02-28T09:30Z', '2026-02-28T09:30:00.000Z'],
  ])('are read from %s as %s', (text, instant) => {
    const parsed = parseInstant(text);
    expect(parsed.ok && formatInstant(parsed.value)).toBe(instant);
  });

  it.each([
    ...[-631_152_000_000, -100_000_000_000, 100_000_000_000, 1_798_675_200_000].map((ms) => [ms, true] as const),
    ...[-99_999_999_999, -1, 0, 1, 99_999_999_999].map((ms) => [ms, false] as const),
  ])('from numbers: %d is milliseconds without doubt: %s', (ms, isPlain) => {
    for (const parse of [parseInstant, parseMoment]) expect(parse(ms).ok).toBe(isPlain);
    // A stored one may be sent back, on the condition that the record has it.
    for (const parse of [parseTimestamp, parseDealDate]) {
      const parsed = parse(ms);
      expect([parsed.ok && parsed.value, 'ifStored' in parsed]).toEqual([ms, !isPlain]);
    }
  });

  it('that are no instants are refused', () => {
    const texts = [
      ...['2026-02-30T00:00:00Z', '2026-02-28T09:30:00', '2026-02-28T09:30', '2026-02-28 00:00:00', 'now'],
      ...['2026-02-28T09Z', '2026-02-28T09:30:00 +01:00', '2026-02-28T09:30:00 0100', '2026-02-28T09:30:00+100'],
      ...['2026-12-31T23:59:60Z', '2026-02-28T24:00:00Z', '2026-02-28T09:60:00Z', '2026-02-28T09:30:00+24:00'],
      ...['2026-02-28T09:30:00+01:60', '2026-02-28T09:30:00+0160', '2026-02-28T09:30:00.Z', '1772271000000'],
      ...['2026-02-28T09:30:00.1234567890Z', '0001-01-01T00:00:00+00:01', '9999-12-31T23:59:59.999-00:01'],
    ];
    expect(texts.filter((text) => readInstantText(text) !== undefined)).toEqual([]);
    expect([minEpochMs, maxEpochMs, 1e11, -1e11].map((ms) => parseInstant(ms).ok)).toEqual([true, true, true, true]);
    expect([1e11 - 1, 1 - 1e11].map((ms) => parseInstant(ms).ok)).toEqual([false, false]);
    for (const input of [minEpochMs - 1, maxEpochMs + 1, 0.5, NaN, null]) expect(parseInstant(input).ok).toBe(false);
    const times = ['24:00', '23:60', '23:59:60', '9:30', '09:30:00.5', '09:30Z', '', 930];
    expect(times.filter((time) => parseTime(time).ok)).toEqual([]);
  });
});
