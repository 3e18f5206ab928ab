/**
 * The maximum number of combining marks in a row: the limit of Unicode's Stream-Safe Text Format (UAX #15). No writing
 * system needs that many. NFC takes quadratic time in the length of a run: 240 KB of marks take seconds.
 */
export const maxCombiningMarks = 30;
// The lookbehind lets a match start only at the start of a run, so that a long run is not tried again from every mark.
const tooManyCombiningMarks = new RegExp(`(?<!\\p{M})\\p{M}{${maxCombiningMarks + 1}}`, 'u');
/** Whether `text` has more than {@link maxCombiningMarks} combining marks in a row; in linear time. */
export const hasTooManyCombiningMarks = (text) => tooManyCombiningMarks.test(text);
//# sourceMappingURL=combining-marks.js.map