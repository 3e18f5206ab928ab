import { type Result } from '../result.js';
/** 0001-01-01T00:00:00.000Z, the first instant with a four-digit year. Milliseconds since 1970. */
export declare const minEpochMs = -62135596800000;
/** 9999-12-31T23:59:59.999Z, the last instant with a four-digit year. Milliseconds since 1970. */
export declare const maxEpochMs = 253402300799999;
/** Whether the text is a day of the Gregorian calendar as `YYYY-MM-DD`, years 0001 to 9999. */
export declare const isCalendarDate: (text: string) => boolean;
/** Whether the number is an integer, and as milliseconds since 1970 within the years 0001 to 9999. */
export declare const isEpochMs: (value: number) => boolean;
/** The instant as RFC 3339 in UTC with milliseconds. All such texts have 24 characters, so text order is time order. */
export declare const formatInstant: (epochMs: number) => string;
/** The UTC day of the instant as `YYYY-MM-DD`. */
export declare const formatDate: (epochMs: number) => string;
/**
 * Reads an RFC 3339 date-time with its offset as epoch milliseconds, or returns undefined. Cuts digits beyond
 * milliseconds, up to nine, because many languages print microseconds. Rejects leap seconds, which epoch milliseconds
 * cannot express, and instants whose UTC year is outside 0001 to 9999.
 */
export declare const readInstantText: (text: string) => number | undefined;
/** Reads `HH:MM` or `HH:MM:SS`, 00:00:00 to 23:59:59, and returns `HH:MM:SS`, or undefined if the text is neither. */
export declare const readTimeText: (text: string) => string | undefined;
/** Reads an instant given as epoch milliseconds or as RFC 3339 with an offset; the value is epoch milliseconds. */
export declare const parseInstant: (input: unknown) => Result<number>;
/** Reads a day, given as `YYYY-MM-DD` or as epoch milliseconds in that UTC day. The value is `YYYY-MM-DD`. */
export declare const parseDate: (input: unknown) => Result<string>;
/** Reads a time of day; the value is `HH:MM:SS`. */
export declare const parseTime: (input: unknown) => Result<string>;
