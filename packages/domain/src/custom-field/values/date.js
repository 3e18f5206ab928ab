import { fail, ok } from '../../result.js';
import { formatInstant, parseDate, parseInstant } from '../calendar.js';
import { findUnknownKey, isJsonObject, ownValue } from './json-object.js';
const rangeKeys = ['start', 'end'];
/** Reads a `datetime`: RFC 3339 with an offset or epoch milliseconds, stored as UTC text with milliseconds. */
export const parseDatetime = (input) => {
    const instant = parseInstant(input);
    return instant.ok ? ok(formatInstant(instant.value)) : instant;
};
const parseBound = (input) => input === null || input === undefined ? ok(null) : parseDate(input);
/** Reads a `date_range`. One side may be null or absent: the range is open on that side. The end day is included. */
export const parseDateRange = (input) => {
    if (!isJsonObject(input))
        return fail('must be an object with start and end');
    const unknownKey = findUnknownKey(input, rangeKeys);
    if (unknownKey !== null)
        return fail(unknownKey);
    const start = parseBound(ownValue(input, 'start'));
    if (!start.ok)
        return fail(`start: ${start.message}`);
    const end = parseBound(ownValue(input, 'end'));
    if (!end.ok)
        return fail(`end: ${end.message}`);
    if (start.value === null && end.value === null)
        return fail('must have a start or an end; null clears the field');
    // Fixed-width days compare as texts.
    if (start.value !== null && end.value !== null && start.value > end.value)
        return fail('must have a start that is not after its end');
    return ok({ start: start.value, end: end.value });
};
//# sourceMappingURL=date.js.map