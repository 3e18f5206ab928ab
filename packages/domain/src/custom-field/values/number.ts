import { fail, ok, type Result } from '../../result.js';
import { amountLimits, checkDecimal, numberLimits } from '../decimal.js';
import { defaultRatingMax, type CustomFieldDefinition } from '../definition.js';

/** Reads a `number` or a `percentage`, where 50 is 50 %. */
export const parseNumber = (input: unknown): Result<number> => checkDecimal(input, numberLimits);

/** Reads a `currency` amount in the currency's main unit. */
export const parseCurrency = (input: unknown): Result<number> => checkDecimal(input, amountLimits);

/** Reads a `rating`: an integer from 0 to the definition's maximum. */
export const parseRating = (input: unknown, definition: CustomFieldDefinition): Result<number> => {
  const max = definition.metadata?.max ?? defaultRatingMax;
  if (typeof input !== 'number' || !Number.isInteger(input) || input < 0 || input > max) {
    return fail(`must be an integer from 0 to ${max}`);
  }
  return ok(input === 0 ? 0 : input);
};

/** Reads a `checkbox`. */
export const parseCheckbox = (input: unknown): Result<boolean> =>
  typeof input === 'boolean' ? ok(input) : fail('must be true or false');
