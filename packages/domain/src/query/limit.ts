import type { ErrorCollector } from '../errors.js';

/** The page size if the request has no limit. */
export const defaultLimit = 100;

/** The maximum number of records in a page. */
export const maxLimit = 500;

/** The maximum size of the records in a page, in bytes. A page has at least one record, of any length. */
export const maxPageBytes = 2 * 1024 * 1024;

// JavaScript's conversions accept `1e2`, `0x10`, ` 5` and `+5`. This accepts one spelling only.
const limitPattern = /^[1-9][0-9]{0,2}$/;

/**
 * Reads the `limit` of a query string. The schema of a body checks its limit.
 * @returns the page size; the default if it is absent or invalid
 */
export const parseLimit = (input: string | undefined, errors: ErrorCollector): number => {
  if (input === undefined) return defaultLimit;
  const limit = limitPattern.test(input) ? Number(input) : 0;
  if (limit >= 1 && limit <= maxLimit) return limit;
  errors.add('limit', `must be an integer from 1 to ${maxLimit}`);
  return defaultLimit;
};
