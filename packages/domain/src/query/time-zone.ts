import { fail, ok, type Result } from '../result.js';
import { quote } from './quote.js';

const isKnown = (name: string): boolean => {
  try {
    return new Intl.DateTimeFormat('en', { timeZone: name }).resolvedOptions().timeZone !== '';
  } catch {
    return false;
  }
};

/**
 * Reads an IANA time zone: `UTC`, or an area and a place, such as `Europe/Berlin`. Names such as `CET` and `EST` are refused:
 * PostgreSQL reads them as fixed offsets, other programs as zones with summer time.
 */
export const parseTimeZone = (name: string): Result<string> =>
  name === 'UTC' || (/^[a-z][\w+-]*(?:\/[\w+-]+)+$/i.test(name) && isKnown(name))
    ? ok(name)
    : fail(`${quote(name)} is no time zone: must be UTC or an IANA name such as Europe/Berlin`);
