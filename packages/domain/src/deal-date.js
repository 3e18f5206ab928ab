import { isEpochMs } from './custom-field/calendar.js';
import { fail, ok } from './result.js';
/** Below this, a count of milliseconds is within about three years of 1970: the sender probably means seconds. */
const leastPlausibleMs = 100_000_000_000;
/**
 * Reads `close_date` or `next_action_date` of a deal, in Unix milliseconds. Rejects a number so small that it must be
 * seconds.
 */
export const parseDealDate = (input) => {
    if (Number.isInteger(input) && Math.abs(input) < leastPlausibleMs) {
        return fail('looks like seconds: send Unix milliseconds');
    }
    return isEpochMs(input) ? ok(input) : fail('must be a whole number of Unix milliseconds, up to 253402300799999');
};
//# sourceMappingURL=deal-date.js.map