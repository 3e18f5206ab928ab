import { type Result } from '../../result.js';
import type { DateRangeValue } from '../custom-value.js';
/** Reads a `datetime`: RFC 3339 with an offset or epoch milliseconds, stored as UTC text with milliseconds. */
export declare const parseDatetime: (input: unknown) => Result<string>;
/** Reads a `date_range`. One side may be null or absent: the range is open on that side. The end day is included. */
export declare const parseDateRange: (input: unknown) => Result<DateRangeValue>;
