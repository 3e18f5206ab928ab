/**
 * The most combining marks in a row that a text may have: the bound of Unicode's Stream-Safe Text Format (UAX #15). No
 * writing system comes near it. NFC sorts the marks of a run in a time that grows with the square of their number: 240 KB
 * of them take seconds.
 */
export const maxMarkRun = 30;

// The lookbehind lets a match start only where a run starts: else every mark of a run would be tried as the first one.
const longMarkRun = new RegExp(`(?<!\\p{M})\\p{M}{${maxMarkRun + 1}}`, 'u');

/** Whether `text` has more than {@link maxMarkRun} combining marks in a row; takes a time in proportion to its length. */
export const hasLongMarkRun = (text: string): boolean => longMarkRun.test(text);
