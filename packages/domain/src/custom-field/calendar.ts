import { fail, ok, okIfStored, type Result } from '../result.js';

/** 0001-01-01T00:00:00.000Z, the first instant with a four-digit year. Milliseconds since 1970. */
export const minEpochMs = -62_135_596_800_000;

/** 9999-12-31T23:59:59.999Z, the last instant with a four-digit year. Milliseconds since 1970. */
export const maxEpochMs = 253_402_300_799_999;

const minuteMs = 60_000;
const datePattern = /^\d{4}-\d{2}-\d{2}$/;
const instantPattern = /^(\d{4}-\d{2}-\d{2})T(\d{2}):(\d{2}):(\d{2})(?:\.(\d{1,9}))?(?:Z|([+-])(\d{2}):(\d{2}))$/i;
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
 * Reads an RFC 3339 date-time with its offset as epoch milliseconds, or returns undefined. Cuts digits beyond
 * milliseconds, up to nine, because many languages print microseconds. Rejects leap seconds, which epoch milliseconds
 * cannot express, and instants whose UTC year is outside 0001 to 9999.
 */
export const readInstantText = (text: string): number | undefined => {
  const match = instantPattern.exec(text);
  if (match === null) return undefined;
  const [, date = '', hour = '', minute = '', second = '', fraction = '', sign, offsetHour, offsetMinute] = match;
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

/** The error text for an instant within a day: it belongs to different days in different time zones. */
const dayFault = (epochMs: number): string => {
  // A midnight east of Greenwich is in the afternoon of the day before in UTC, one west of it in the morning.
  const isAfternoon = epochMs - Math.floor(epochMs / dayMs) * dayMs >= dayMs / 2;
  const other = epochMs + (isAfternoon ? dayMs : -dayMs);
  const elsewhere = isEpochMs(other) ? `, but ${formatDate(other)} in other time zones` : '';
  return `is ${readableInstant(epochMs)}, a time within ${formatDate(epochMs)} in UTC${elsewhere}: send YYYY-MM-DD`;
};

/** Reads a day, given as `YYYY-MM-DD` or as the epoch milliseconds of its midnight in UTC. The value is `YYYY-MM-DD`. */
export const parseDate = (input: unknown): Result<string> => {
  if (typeof input === 'string' && isCalendarDate(input)) return ok(input);
  if (typeof input !== 'number' || !isEpochMs(input))
    return fail('must be a calendar date as YYYY-MM-DD, or Unix milliseconds');
  const secondsFault = findSecondsFault(input);
  if (secondsFault !== null) return fail(secondsFault);
  return input % dayMs === 0 ? ok(formatDate(input)) : fail(dayFault(input));
};

/** Reads a time of day; the value is `HH:MM:SS`. */
export const parseTime = (input: unknown): Result<string> => {
  const time = typeof input === 'string' ? readTimeText(input) : undefined;
  return time === undefined ? fail('must be a time of day as HH:MM or HH:MM:SS') : ok(time);
};
