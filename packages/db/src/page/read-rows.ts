import type { Queries } from '../database.js';
import { recordColumn } from '../connection/values.js';
import { bytesWithin } from './bound.js';
import { orderBySql } from './order/order-by.js';
import { type Part, partSql } from './order/parts.js';
import { keyText } from './order/sort-keys.js';
import type { PageRequest } from './page-request.js';
import { Parameters } from './parameters.js';
import type { Step } from './plan.js';
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

/** Runs one step of a plan: reads records of a part in one statement, up to a limit. */
export const readRows = async (
  database: Queries,
  request: PageRequest,
  step: Step,
  part: Part,
  limit: RowBounds,
): Promise<PageRow[]> => {
  const parameters = new Parameters();
  const { page, keys } = pageSql(request, part, step, limit.rows, parameters);
  const shownKeys = keys.map((key, index) => ({ ...key, expression: `s.key_${index + 1}` }));
  const order = orderBySql(partSql(part, shownKeys).keys);
  // A cursor names the last record of the page: the last but one that is read, or the last within the byte limit. Only that record
  // gets its keys as text, because the keys of all records would cost a third of the page's time.
  const { isWithin, isLastWithin } = bytesWithin(`${parameters.add(limit.bytes)}::bigint`);
  const text = `
    SELECT CASE WHEN ${isWithin} THEN s.record END AS ${recordColumn},
           CASE WHEN row_number() OVER w = ${limit.rows - 1} OR ${isLastWithin}
             THEN ARRAY[${shownKeys.map(keyText).join(', ')}] END AS position
      FROM (${page}) s WINDOW w AS (ORDER BY ${order} ROWS UNBOUNDED PRECEDING)
     ORDER BY ${order}`;
  const statement = { text, values: parameters.values };
  return database.query<PageRow & Record<string, unknown>>(request.setup.organizationId, statement);
};
