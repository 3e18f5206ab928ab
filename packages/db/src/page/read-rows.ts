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

/** A record, and its sort keys as text. */
export interface PageRow {
  /** Null for a record that would make the page longer than its bound of bytes. */
  readonly [recordColumn]: Buffer | null;
  /** Only of the last record but one, where there are as many as were asked for, and of the last one before the bound of bytes. */
  readonly position: (string | null)[] | null;
}

/** How much of a part is read. */
export interface RowBounds {
  readonly rows: number;
  /** Of records; the first one comes however long it is. */
  readonly bytes: number;
}

/** Reads so many of a part's records in one statement, as a step of a plan says. */
export const readRows = async (
  database: Queries,
  request: PageRequest,
  step: Step,
  part: Part,
  limit: RowBounds,
): Promise<PageRow[]> => {
  const parameters = new Parameters();
  const { page, bound, count, keys, isPrepared } = pageSql(request, part, step, limit.rows, parameters);
  const shownKeys = keys.map((key, index) => ({ ...key, expression: `s.key_${index + 1}` }));
  const order = orderBySql(partSql(part, shownKeys).keys);
  // A cursor names the last record that is shown, which is the last but one or the last before the bound of bytes. Making and
  // reading the keys of a record costs a third of a page, so only that record has them.
  const { isWithin, isLastWithin } = bytesWithin(`${parameters.add(limit.bytes)}::bigint`);
  const text = `
    SELECT CASE WHEN ${isWithin} THEN s.record END AS ${recordColumn},
           CASE WHEN row_number() OVER w = ${count}::bigint - 1 OR ${isLastWithin}
             THEN ARRAY[${shownKeys.map(keyText).join(', ')}] END AS position
      FROM (${bound(page)}) s WINDOW w AS (ORDER BY ${order} ROWS UNBOUNDED PRECEDING)
     ORDER BY ${order}`;
  const statement = { text, values: parameters.values, isPrepared };
  return database.query<PageRow & Record<string, unknown>>(request.setup.organizationId, statement);
};
