import { fail, ok } from '../../result.js';
import { amountLimits, checkDecimal, numberLimits } from '../decimal.js';
import { defaultRatingMax } from '../definition.js';
/** Reads a `number` or a `percentage`, where 50 is 50 %. */
export const parseNumber = (input) => checkDecimal(input, numberLimits);
/** Reads a `currency` amount in the currency's main unit. */
export const parseCurrency = (input) => checkDecimal(input, amountLimits);
/** Reads a `rating`: an integer from 0 to the definition's maximum. */
export const parseRating = (input, definition) => {
    const max = definition.metadata?.max ?? defaultRatingMax;
    if (typeof input !== 'number' || !Number.isInteger(input) || input < 0 || input > max) {
        return fail(`must be an integer from 0 to ${max}`);
    }
    return ok(input === 0 ? 0 : input);
};
/** Reads a `checkbox`. */
export const parseCheckbox = (input) => typeof input === 'boolean' ? ok(input) : fail('must be true or false');
//# sourceMappingURL=number.js.map