import { type CursorPosition, maxPageBytes } from '@crm/domain';
import { recordColumn } from '../connection/values.js';
import type { Queries } from '../database.js';
import { keysOfPart, keyText, orderBySql } from './order.js';
import type { PageRequest } from './page-request.js';
import { type PartPlan, planPage } from './plan.js';
import { pageSql } from './plans/page-sql.js';

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

/** A page whose records are JSON text from the database. */
export interface Page {
  /** In page order. A buffer is one record, or several with commas between them. */
  readonly records: readonly Buffer[];
  /** The position of the last record, after which the next page starts; null on the last page. */
  readonly nextPosition: CursorPosition | null;
}

/** The records of a page, parsed. Gateways send them unparsed. */
export const parsePage = ({ records }: Page): unknown[] => JSON.parse(`[${records.join(',')}]`) as unknown[];

/** The records within the byte limit. The first row without a record marks the limit. */
export const recordsWithinBytes = (rows: readonly { readonly [recordColumn]: Buffer | null }[]): Buffer[] => {
  const records = rows.map((row) => row[recordColumn]);
  const cut = records.indexOf(null);
  return (cut === -1 ? records : records.slice(0, cut)).filter((record) => record !== null);
};

/** A record of a page, or several with commas between them. */
export interface PageRow {
  /** Null for a record beyond the page's byte limit. */
  readonly [recordColumn]: Buffer | null;
  /** The sort keys of the last of these records, as text. Null if no cursor names it. */
  readonly position: (string | null)[] | null;
  /** The number of records; absent for one. */
  readonly count?: number;
}

/**
 * Reads the records of a part in one statement, up to a number of rows and bytes. The first record is always returned, whatever its
 * length. The statement reads a whole page even if the first part has filled some of it, so that its text does not depend on how much is
 * missing.
 */
const readRows = async (
  database: Queries,
  plan: PartPlan,
  limit: { readonly rows: number; readonly bytes: number },
): Promise<PageRow[]> => {
  const { parameters, part, setup } = plan;
  const page = pageSql(plan);
  const shownKeys = plan.keys.map((key, index) => ({ ...key, expression: `s.key_${index + 1}` }));
  const order = orderBySql(keysOfPart(part, shownKeys));
  // A cursor names the last record of the page: the last but one that is read, or the last within the byte limit. Only that record
  // gets its keys as text, because the keys of all records would cost a third of the page's time.
  const { isWithin, isLastWithin } = bytesWithin(`${parameters.add(limit.bytes)}::bigint`);
  const statement = parameters.statement(`
    SELECT CASE WHEN ${isWithin} THEN s.record END AS ${recordColumn},
           CASE WHEN row_number() OVER w = ${parameters.add(limit.rows)}::bigint - 1 OR ${isLastWithin}
             THEN ARRAY[${shownKeys.map(keyText).join(', ')}] END AS position
      FROM (${page}) s WINDOW w AS (ORDER BY ${order} ROWS UNBOUNDED PRECEDING)
     ORDER BY ${order}`);
  const rows = await database.query<PageRow & Record<string, unknown>>(setup.organizationId, statement);
  return rows.slice(0, limit.rows);
};

interface JoinedRow extends PageRow {
  readonly count: number;
  /** The bytes of the record after the page, which shows that another page exists. */
  readonly extraBytes: number | null;
}

/**
 * Reads the records of a part as one value, which spares the driver a message for each record. Its records are in page order, so the value
 * and the array of keys are, too.
 *
 * ```sql
 * SELECT CASE WHEN bool_and(octet_length(s.record) <= 41943) THEN string_agg(s.record, ',') END AS record_bytes, count(*)::int AS count,
 *        (array_agg(octet_length(s.record)))[51] AS "extraBytes", ARRAY[(array_agg(s.key_1))[50], …] AS position FROM (PAGE) s
 * ```
 *
 * @returns null if a record is longer than its share of the page, which then has to end early
 */
const readJoined = async (
  database: Queries,
  plan: PartPlan,
  limit: { readonly rows: number; readonly bytes: number },
): Promise<PageRow[] | null> => {
  const { parameters, setup } = plan;
  const last = plan.keys.map((key, index) => ({
    ...key,
    expression: `(array_agg(s.key_${index + 1}))[${limit.rows}]`,
  }));
  const isShort = `octet_length(s.record) <= ${parameters.add(Math.floor(limit.bytes / limit.rows))}::int`;
  const statement = parameters.statement(`
    SELECT CASE WHEN bool_and(${isShort}) THEN string_agg(CASE WHEN ${isShort} THEN s.record END, ',') END AS ${recordColumn},
           count(*)::int AS count, (array_agg(octet_length(s.record)))[${limit.rows + 1}] AS "extraBytes",
           ARRAY[${last.map(keyText).join(', ')}] AS position
      FROM (${pageSql(plan)}) s`);
  const [row] = await database.query<JoinedRow & Record<string, unknown>>(setup.organizationId, statement);
  if (row?.count === 0) return [];
  const joined = row?.[recordColumn] ?? null;
  if (row === undefined || joined === null) return null;
  const { count, extraBytes, position } = row;
  if (extraBytes === null) return [{ [recordColumn]: joined, count, position: count === limit.rows ? position : null }];
  const end = joined.length - extraBytes;
  const page = { [recordColumn]: joined.subarray(0, end - 1), count: limit.rows, position };
  return [page, { [recordColumn]: joined.subarray(end), position: null }];
};

/**
 * Reads one page in one statement (see `plan.ts`), or in two: a page that starts among records with the sort key and ends among records
 * without it has a plan for each part. The first part comes as one value if it has one step and no long record; otherwise record by
 * record, in another statement if a record is long. A page ends early when its records reach `maxBytes`. If
 * that happens in the second part, the page may exceed the limit by one record, because each part returns at least its first record.
 */
export const listPage = async (
  database: Queries,
  request: PageRequest,
  maxBytes: number = maxPageBytes,
): Promise<Page> => {
  const rows: PageRow[] = [];
  // Read one record more than the page shows. It reveals whether another page exists.
  let missing = request.limit + 1;
  let bytes = maxBytes;
  for (const [index, plan] of planPage(request).entries()) {
    if (missing === 0) break;
    const isJoined = index === 0 && plan.steps.length === 1;
    const joined = isJoined ? await readJoined(database, plan, { rows: request.limit, bytes }) : null;
    const read = joined ?? (await readRows(database, plan, { rows: missing, bytes }));
    rows.push(...read);
    const records = recordsWithinBytes(read);
    if (records.length < read.length) break;
    for (const { length } of records) bytes -= length;
    for (const { count = 1 } of read) missing -= count;
  }
  const records = recordsWithinBytes(missing === 0 ? rows.slice(0, -1) : rows);
  if (records.length === rows.length) return { records, nextPosition: null };
  // A page without a position would look like the last one.
  const nextPosition = rows[records.length - 1]?.position ?? null;
  if (nextPosition === null) throw new Error('The last record of a page has no position');
  return { records, nextPosition };
};
