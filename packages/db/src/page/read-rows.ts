import type { Queries } from '../database.js';
import { recordColumn } from '../connection/values.js';
import { bytesWithin } from './bound.js';
import { orderBySql } from './order/order-by.js';
import { partSql } from './order/parts.js';
import { keyText } from './order/sort-keys.js';
import type { PageRequest } from './page-request.js';
import { Parameters } from './parameters.js';
import type { PartPlan } from './plan.js';
import { pageSql } from './plans/page-sql.js';

/** A record of a page. */
export interface PageRow {
  /** Null for a record beyond the page's byte limit. */
  readonly [recordColumn]: Buffer | null;
  /** The sort keys as text. Only for the record that a cursor names; null for the others. */
  readonly position: (string | null)[] | null;
}

/** How much of a part to read. */
export interface RowBounds {
  readonly rows: number;
  /** The length of all records together. The first record is always returned, whatever its length. */
  readonly bytes: number;
}

/**
 * Reads the records of a part in one statement, up to a limit. The statement reads a whole page even if the first part
 * has filled some of it, so that its text does not depend on how much is missing.
 */
export const readRows = async (
  database: Queries,
  request: PageRequest,
  { part, steps }: PartPlan,
  limit: RowBounds,
): Promise<PageRow[]> => {
  const parameters = new Parameters();
  const { page, keys } = pageSql(request, part, steps, request.limit + 1, parameters);
  const shownKeys = keys.map((key, index) => ({ ...key, expression: `s.key_${index + 1}` }));
  const order = orderBySql(partSql(part, shownKeys).keys);
  // A cursor names the last record of the page: the last but one that is read, or the last within the byte limit. Only that record
  // gets its keys as text, because the keys of all records would cost a third of the page's time.
  const { isWithin, isLastWithin } = bytesWithin(`${parameters.add(limit.bytes)}::bigint`);
  const text = `
    SELECT CASE WHEN ${isWithin} THEN s.record END AS ${recordColumn},
           CASE WHEN row_number() OVER w = ${parameters.add(limit.rows)}::bigint - 1 OR ${isLastWithin}
             THEN ARRAY[${shownKeys.map(keyText).join(', ')}] END AS position
      FROM (${page}) s WINDOW w AS (ORDER BY ${order} ROWS UNBOUNDED PRECEDING)
     ORDER BY ${order}`;
  const statement = { text, values: parameters.values };
  const rows = await database.query<PageRow & Record<string, unknown>>(request.setup.organizationId, statement);
  return rows.slice(0, limit.rows);
};
