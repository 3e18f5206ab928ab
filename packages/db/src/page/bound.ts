/** Ends an ordered SELECT after so many rows. */
export type Bound = (select: string) => string;

/** Adds a limit whose number is a bind parameter. @param count - its placeholder, such as `$2` */
export const limitTo =
  (count: string): Bound =>
  (select) =>
    `${select} LIMIT ${count}`;

/** The limits that a prepared statement may have as a literal: one more than 10, 100 and 500 records. */
const writtenLimits = [11, 101, 501] as const;

/**
 * The same for a prepared statement, with a literal limit below the parameter. The planner assumes that `LIMIT $2` returns 10 % of the
 * rows, here of a pipeline. The generic plan then looks more expensive than a plan for the values, so PostgreSQL never caches it and
 * plans at every execution. Of a literal limit, 10 % is less than a page.
 *
 * `SELECT …` → `SELECT * FROM (SELECT … LIMIT 101) l LIMIT $2`
 * @param rows - the value of `count`
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
