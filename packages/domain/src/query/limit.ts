import type { ErrorCollector } from '../errors.js';

/** The page size if the request has no limit. */
export const defaultLimit = 100;

/** The maximum number of records in a page. */
export const maxLimit = 500;

/** The maximum size of the records in a page, in bytes. A page has at least one record, of any length. */
export const maxPageBytes = 2 * 1024 * 1024;

// JavaScript's conversions accept `1e2`, `0x10`, ` 5` and `+5`. This accepts one spelling only.
const limitPattern = /^[1-9][0-9]{0,2}$/;

const message = `must be an integer from 1 to ${maxLimit}`;

/**
 * Reads the `limit` of a query string.
 * @param input the text, or undefined when it was not given; anything else (given twice, an object) is refused
 * @returns the page size; the default if it is absent or invalid
 */
export const parseLimit = (input: unknown, errors: ErrorCollector): number => {
  if (input === undefined) return defaultLimit;
  const limit = typeof input === 'string' && limitPattern.test(input) ? Number(input) : 0;
  return withinBounds(limit, errors);
};

/**
 * Reads the `limit` of a JSON body: an integer, or null or undefined for the default. Text is refused.
 * @returns the page size; the default if it is absent or invalid
 */
export const parseBodyLimit = (input: unknown, errors: ErrorCollector): number => {
  if (input === undefined || input === null) return defaultLimit;
  return withinBounds(typeof input === 'number' ? input : 0, errors);
};

const withinBounds = (limit: number, errors: ErrorCollector): number => {
  if (Number.isInteger(limit) && limit >= 1 && limit <= maxLimit) return limit;
  errors.add('limit', message);
  return defaultLimit;
};
