/**
 * The maximum number of combining marks in a row: the limit of Unicode's Stream-Safe Text Format (UAX #15). No writing
 * system needs that many. NFC takes quadratic time in the length of a run: 240 KB of marks take seconds.
 */
export declare const maxCombiningMarks = 30;
/** Whether `text` has more than {@link maxCombiningMarks} combining marks in a row; in linear time. */
export declare const hasTooManyCombiningMarks: (text: string) => boolean;
