import { parseMoment } from './custom-field/calendar.js';
import { fail, type Result } from './result.js';

/** Below this, a count of milliseconds is within about three years of 1970: the sender probably means seconds. */
export const leastPlausibleMs = 100_000_000_000;

/**
 * Reads `close_date` or `next_action_date` of a deal as Unix milliseconds. Rejects a number so small that it must be
 * seconds.
 */
export const parseDealDate = (input: number | string): Result<number> =>
  typeof input === 'number' && Number.isInteger(input) && Math.abs(input) < leastPlausibleMs
    ? fail('looks like seconds: send Unix milliseconds')
    : parseMoment(input);
