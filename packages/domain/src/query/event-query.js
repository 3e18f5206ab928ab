/** The longest time that a request waits for events, in seconds. */
export const maxWaitSeconds = 30;
// Plain digits only, as for limits: neither `1e2` nor `+5`. Numbers with fifteen digits are exact in JavaScript.
const positionPattern = /^(0|[1-9][0-9]{0,14})$/;
const waitPattern = /^(0|[1-9][0-9]?)$/;
/**
 * Reads a position in the change log from a query string.
 * @returns null if it is absent or invalid
 */
export const parsePosition = (name, input, errors) => {
    if (input === undefined)
        return null;
    if (positionPattern.test(input))
        return Number(input);
    errors.add(name, 'must be a position: a whole number from 0, of at most 15 digits');
    return null;
};
/**
 * Reads the `wait` of a query string.
 * @returns seconds; 0 if it is absent or invalid
 */
export const parseWait = (input, errors) => {
    if (input === undefined)
        return 0;
    const seconds = waitPattern.test(input) ? Number(input) : Number.POSITIVE_INFINITY;
    if (seconds <= maxWaitSeconds)
        return seconds;
    errors.add('wait', `must be a whole number of seconds from 0 to ${maxWaitSeconds}`);
    return 0;
};
//# sourceMappingURL=event-query.js.map