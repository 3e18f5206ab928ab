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
