/** Pages of 10, 100 and 500 records, plus one record. Few limits mean few cached plans. */
const literalLimits = [11, 101, 501] as const;

/**
 * Adds a limit that is a bind parameter, with a literal limit inside. The planner assumes that `LIMIT $2` returns 10 % of the rows, which
 * would be a tenth of the whole log.
 *
 * `SELECT …` → `SELECT * FROM (SELECT … LIMIT 101) l LIMIT $2`
 * @param rows - the value of `count`
 */
export const preparedLimitTo =
  (rows: number, count: string): ((select: string) => string) =>
  (select) =>
    `SELECT * FROM (${select} LIMIT ${literalLimits.find((most) => rows <= most) ?? rows}) l LIMIT ${count}`;

/**
 * Conditions that end a page when its records reach a number of bytes. They refer to the window `w` over the records `s.record` in page
 * order. PostgreSQL stores the length of each text, so the conditions do not read the text of a record beyond the limit.
 * @param bytes - the limit as SQL; the first record is always within it, whatever its length
 * @param length - the length of a record as SQL
 */
export const bytesWithin = (
  bytes: string,
  length = 'octet_length(s.record)',
): { readonly isWithin: string; readonly isLastWithin: string } => {
  const sum = `sum(${length}) OVER w`;
  const isWithin = `(${sum} <= ${bytes} OR row_number() OVER w = 1)`;
  return { isWithin, isLastWithin: `(${isWithin} AND ${sum} + lead(${length}) OVER w > ${bytes})` };
};
