import { fail, ok, okIfStored, type Result } from '../result.js';

/** 0001-01-01T00:00:00.000Z, the first instant with a four-digit year. Milliseconds since 1970. */
export const minEpochMs = -62_135_596_800_000;

/** 9999-12-31T23:59:59.999Z, the last instant with a four-digit year. Milliseconds since 1970. */
export const maxEpochMs = 253_402_300_799_999;

const minuteMs = 60_000;
const datePattern = /^\d{4}-\d{2}-\d{2}$/;
const instantPattern =
  /^(\d{4}-\d{2}-\d{2})[T ](\d{2}):(\d{2})(?::(\d{2})(?:\.(\d{1,9}))?)?(?:Z|([+-])(\d{2})(?::?(\d{2}))?)$/i;
/** A midnight without an offset is the start of the same day everywhere. */
const dayStartPattern = /^(\d{4}-\d{2}-\d{2})[T ]00:00(?::00(?:\.0{1,9})?)?$/i;
const timePattern = /^(\d{2}):(\d{2})(?::(\d{2}))?$/;

/** Whether the text is a day of the Gregorian calendar as `YYYY-MM-DD`, years 0001 to 9999. */
export const isCalendarDate = (text: string): boolean => {
  if (!datePattern.test(text) || text.startsWith('0000')) return false;
  const epochMs = Date.parse(text);
  // JavaScript reads 30 February as 2 March.
  return !Number.isNaN(epochMs) && formatDate(epochMs) === text;
};

/** Whether the number is an integer, and as milliseconds since 1970 within the years 0001 to 9999. */
export const isEpochMs = (value: number): boolean =>
  Number.isInteger(value) && value >= minEpochMs && value <= maxEpochMs;

/** The instant as RFC 3339 in UTC with milliseconds. All such texts have 24 characters, so text order is time order. */
export const formatInstant = (epochMs: number): string => new Date(epochMs).toISOString();

/** The UTC day of the instant as `YYYY-MM-DD`. */
export const formatDate = (epochMs: number): string => formatInstant(epochMs).slice(0, 10);

/**
 * Reads an RFC 3339 date-time with its offset as epoch milliseconds, or returns undefined. Also reads other forms of ISO
 * 8601 with the same meaning: a space for the T, no seconds, an offset without a colon or minutes. Cuts digits beyond
 * milliseconds, up to nine, because many languages print microseconds. Rejects leap seconds, which epoch milliseconds
 * cannot express, and instants whose UTC year is outside 0001 to 9999.
 */
export const readInstantText = (text: string): number | undefined => {
  const match = instantPattern.exec(text);
  if (match === null) return undefined;
  const [, date = '', hour = '', minute = '', second = '00', fraction = '', sign, offsetHour, offsetMinute] = match;
  if (!isCalendarDate(date) || readTimeText(`${hour}:${minute}:${second}`) === undefined) return undefined;
  const [offsetHours, offsetMinutes] = [Number(offsetHour ?? 0), Number(offsetMinute ?? 0)];
  if (offsetHours > 23 || offsetMinutes > 59) return undefined;
  const local = Date.parse(`${date}T${hour}:${minute}:${second}.${fraction.slice(0, 3).padEnd(3, '0')}Z`);
  const offsetMs = (offsetHours * 60 + offsetMinutes) * minuteMs;
  const epochMs = sign === '-' ? local + offsetMs : local - offsetMs;
  return isEpochMs(epochMs) ? epochMs : undefined;
};

/** Reads `HH:MM` or `HH:MM:SS`, 00:00:00 to 23:59:59, and returns `HH:MM:SS`, or undefined if the text is neither. */
export const readTimeText = (text: string): string | undefined => {
  const match = timePattern.exec(text);
  if (match === null) return undefined;
  const [, hour = '', minute = '', second = '00'] = match;
  if (Number(hour) > 23 || Number(minute) > 59 || Number(second) > 59) return undefined;
  return `${hour}:${minute}:${second}`;
};

/** Below this, a count of milliseconds is within about three years of 1970: the sender probably means seconds. */
const leastPlausibleMs = 100_000_000_000;

const readableInstant = (epochMs: number): string => formatInstant(epochMs).replace('.000Z', 'Z');

/** The error text with both readings of a number that is probably seconds, or null. It can be sent as RFC 3339. */
const findSecondsFault = (input: number): string | null => {
  if (Math.abs(input) >= leastPlausibleMs) return null;
  if (input === 0) return 'is 0, which may mean 1970-01-01 or no date: send it as a text, or null';
  const [seconds, milliseconds] = [readableInstant(input * 1000), readableInstant(input)];
  return `looks like seconds, ${seconds}; as Unix milliseconds it is ${milliseconds}: send milliseconds, or a text`;
};

const instantFault = 'must be an RFC 3339 date-time with an offset, as 2026-02-28T09:30:00Z, or Unix milliseconds';
const momentFault = 'must be Unix milliseconds, RFC 3339 with an offset, or YYYY-MM-DD for that UTC day';

const readInstant = (input: unknown, fault: string): Result<number> => {
  if (typeof input === 'number' && isEpochMs(input)) {
    const secondsFault = findSecondsFault(input);
    return secondsFault === null ? ok(input) : fail(secondsFault);
  }
  const epochMs = typeof input === 'string' ? readInstantText(input) : undefined;
  return epochMs === undefined ? fail(fault) : ok(epochMs);
};

/** Reads an instant given as epoch milliseconds or as RFC 3339 with an offset; the value is epoch milliseconds. */
export const parseInstant = (input: unknown): Result<number> => readInstant(input, instantFault);

/** Reads an instant of a system field: like {@link parseInstant}, or `YYYY-MM-DD` for the start of that UTC day. */
export const parseMoment = (input: unknown): Result<number> =>
  typeof input === 'string' && isCalendarDate(input) ? ok(Date.parse(input)) : readInstant(input, momentFault);

/** The instant is read as a number. So a small one, which was sent as a text, can be sent back. */
const orAsRead = (instant: Result<number>, input: unknown): Result<number> =>
  !instant.ok && typeof input === 'number' && isEpochMs(input) ? okIfStored(input, instant.message) : instant;

/** Reads a custom `timestamp`, like {@link parseInstant}. */
export const parseTimestamp = (input: unknown): Result<number> => orAsRead(parseInstant(input), input);

/** Reads a date of a deal, like {@link parseMoment}. */
export const parseDealDate = (input: number | string): Result<number> => orAsRead(parseMoment(input), input);

const dayMs = 86_400_000;

/**
 * The error text for an instant that belongs to different days in different time zones.
 *
 * @param written - the day in the offset that the sender gave
 */
const dayFault = (epochMs: number, written = formatDate(epochMs)): string => {
  const day = formatDate(epochMs);
  // A midnight east of Greenwich is in the afternoon of the day before in UTC, one west of it in the morning.
  const isAfternoon = epochMs - Math.floor(epochMs / dayMs) * dayMs >= dayMs / 2;
  const other = epochMs + (isAfternoon ? dayMs : -dayMs);
  const elsewhere = written === day && isEpochMs(other) ? formatDate(other) : written;
  const zones = elsewhere === day ? '' : `, but ${elsewhere} in other time zones`;
  return `is ${readableInstant(epochMs)}, a time within ${day} in UTC${zones}: send YYYY-MM-DD`;
};

const dateFault = 'must be a calendar date as YYYY-MM-DD, or Unix milliseconds';

const parseDateText = (text: string): Result<string> => {
  const day = dayStartPattern.exec(text)?.[1] ?? text;
  if (isCalendarDate(day)) return ok(day);
  const epochMs = readInstantText(text);
  if (epochMs === undefined) return fail(dateFault);
  const written = text.slice(0, 10);
  return epochMs % dayMs === 0 && formatDate(epochMs) === written ? ok(written) : fail(dayFault(epochMs, written));
};

/**
 * Reads a day: `YYYY-MM-DD`, or its midnight as RFC 3339 in UTC, as a text without an offset, or as epoch milliseconds.
 * The value is `YYYY-MM-DD`.
 */
export const parseDate = (input: unknown): Result<string> => {
  if (typeof input === 'string') return parseDateText(input);
  if (typeof input !== 'number' || !isEpochMs(input)) return fail(dateFault);
  const secondsFault = findSecondsFault(input);
  if (secondsFault !== null) return fail(secondsFault);
  return input % dayMs === 0 ? ok(formatDate(input)) : fail(dayFault(input));
};

/** Reads a time of day; the value is `HH:MM:SS`. */
export const parseTime = (input: unknown): Result<string> => {
  const time = typeof input === 'string' ? readTimeText(input) : undefined;
  return time === undefined ? fail('must be a time of day as HH:MM or HH:MM:SS') : ok(time);
};
