import { type Result } from './result.js';
/**
 * Reads `close_date` or `next_action_date` of a deal, in Unix milliseconds. Rejects a number so small that it must be
 * seconds.
 */
export declare const parseDealDate: (input: number) => Result<number>;
