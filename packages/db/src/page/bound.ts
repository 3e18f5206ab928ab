/** Ends an ordered SELECT after so many rows. */
export type Bound = (select: string) => string;

/** Ends it after a number that SQL gives, as a bind parameter. */
export const limitTo =
  (count: string): Bound =>
  (select) =>
    `${select} LIMIT ${count}`;

/** Limits that are written into statements, each above so many times the one before. */
const writtenLimits = [11, 101, 501] as const;

/**
 * The same in a statement that is kept prepared. The planner reckons with a tenth of what a limit that is a parameter bounds,
 * which is all rows of a pipeline: then it takes a plan without values for dearer than one with them, and plans at every
 * execution. Below a written limit a tenth is less than any page, and the plan is kept.
 * @param rows - what `count` will be
 */
export const keptLimitTo =
  (rows: number, count: string): Bound =>
  (select) =>
    `SELECT * FROM (${select} LIMIT ${writtenLimits.find((most) => rows <= most) ?? rows}) l LIMIT ${count}`;

/**
 * Conditions that end a page at a bound of bytes, over the window `w` of the records `s.record` in the page's order. The server
 * keeps the length of a stored text, so that a record beyond the bound is not read for them.
 * @param bytes - the bound as SQL; the first record is within it however long it is
 */
export const bytesWithin = (bytes: string): { readonly isWithin: string; readonly isLastWithin: string } => {
  const sum = 'sum(octet_length(s.record)) OVER w';
  const isWithin = `(${sum} <= ${bytes} OR row_number() OVER w = 1)`;
  return { isWithin, isLastWithin: `(${isWithin} AND ${sum} + lead(octet_length(s.record)) OVER w > ${bytes})` };
};
