import { type CursorPosition, maxPageBytes } from '@crm/domain';
import type { Queries } from '../database.js';
import { recordColumn } from '../connection/values.js';
import { withMergedLists } from './filter/merge-lists.js';
import type { PageRequest } from './page-request.js';
import { planPage } from './plan.js';
import { type PageRow, readRows } from './read-rows.js';

/** A page whose records are JSON text from the database. */
export interface Page {
  readonly records: readonly Buffer[];
  /** The position of the last record, after which the next page starts; null on the last page. */
  readonly nextPosition: CursorPosition | null;
}

/** The records within the byte limit. The first row without a record marks the limit. */
export const recordsWithinBytes = (rows: readonly { readonly [recordColumn]: Buffer | null }[]): Buffer[] => {
  const records = rows.map((row) => row[recordColumn]);
  const cut = records.indexOf(null);
  return (cut === -1 ? records : records.slice(0, cut)).filter((record) => record !== null);
};

/**
 * Reads one page in one statement (see `plan.ts`), or in two: a page that starts among records with the sort key and ends among records
 * without it has a plan for each part. A page ends early when its records reach `maxPageBytes`. If
 * that happens in the second part, the page may exceed the limit by one record, because each part returns at least its first record.
 */
export const listPage = async (database: Queries, asked: PageRequest): Promise<Page> => {
  const request = withMergedLists(asked);
  const rows: PageRow[] = [];
  let bytes = maxPageBytes;
  for (const plan of planPage(request)) {
    // Read one record more than the page shows. It reveals whether another page exists.
    const missing = request.limit + 1 - rows.length;
    if (missing === 0) break;
    const read = await readRows(database, request, plan, { rows: missing, bytes });
    rows.push(...read);
    const records = recordsWithinBytes(read);
    if (records.length < read.length) break;
    for (const { length } of records) bytes -= length;
  }
  const records = recordsWithinBytes(rows.slice(0, request.limit));
  if (records.length === rows.length) return { records, nextPosition: null };
  // A page without a position would look like the last one.
  const nextPosition = rows[records.length - 1]?.position ?? null;
  if (nextPosition === null) throw new Error('The last record of a page has no position');
  return { records, nextPosition };
};
