/** Adds a row limit to an ordered SELECT. */
export type Bound = (select: string) => string;

/** Adds a limit that is a bind parameter. @param count - its placeholder, such as `$2` */
export const limitTo =
  (count: string): Bound =>
  (select) =>
    `${select} LIMIT ${count}`;

/** Literal limits for prepared statements: pages of 10, 100 and 500 records, plus one record. Few limits mean few cached plans. */
const literalLimits = [11, 101, 501] as const;

/**
 * Like {@link limitTo}, for a prepared statement: adds a literal limit inside the bound one. The planner assumes that `LIMIT $2` returns
 * 10 % of the rows, which is a tenth of the whole pipeline. The generic plan then looks more expensive than a plan for the values, so
 * PostgreSQL never caches it and plans every execution. With the literal limit inside, the planner assumes 10 % of at most 501 rows.
 *
 * `SELECT …` → `SELECT * FROM (SELECT … LIMIT 101) l LIMIT $2`
 * @param rows - the value of `count`
 */
export const preparedLimitTo =
  (rows: number, count: string): Bound =>
  (select) =>
    `SELECT * FROM (${select} LIMIT ${literalLimits.find((most) => rows <= most) ?? rows}) l LIMIT ${count}`;

/**
 * Conditions that end a page when its records reach a number of bytes. They refer to the window `w` over the records `s.record` in page
 * order. PostgreSQL stores the length of each text, so the conditions do not read the text of a record beyond the limit.
 * @param bytes - the limit as SQL; the first record is always within it, whatever its length
 */
export const bytesWithin = (bytes: string): { readonly isWithin: string; readonly isLastWithin: string } => {
  const sum = 'sum(octet_length(s.record)) OVER w';
  const isWithin = `(${sum} <= ${bytes} OR row_number() OVER w = 1)`;
  return { isWithin, isLastWithin: `(${isWithin} AND ${sum} + lead(octet_length(s.record)) OVER w > ${bytes})` };
};
