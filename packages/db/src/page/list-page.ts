import { type CursorPosition, maxPageBytes } from '@crm/domain';
import type { Queries } from '../database.js';
import { recordColumn } from '../connection/values.js';
import { withMergedLists } from './filter/merge-lists.js';
import type { PageRequest } from './page-request.js';
import { planPage } from './plan.js';
import type { PageRow } from './read-rows.js';
import { runPlan } from './run-plan.js';

/** A page as the database made it. */
export interface Page {
  /** To be joined by `separateRecords`. */
  readonly records: readonly Buffer[];
  /** Where the next page starts, or null when this is the last. */
  readonly nextPosition: CursorPosition | null;
}

/** The records up to the bound of bytes, which a row without its record shows. */
export const recordsWithinBytes = (rows: readonly { readonly [recordColumn]: Buffer | null }[]): Buffer[] => {
  const records = rows.map((row) => row[recordColumn]);
  const cut = records.indexOf(null);
  return (cut === -1 ? records : records.slice(0, cut)).filter((record) => record !== null);
};

/**
 * Reads one page: most plans take one statement, and none more than three (see `plan.ts`). A page that reaches from records with the
 * sort key to records without it has a plan for each part. A page ends early where its records reach `maxPageBytes`; where they do so
 * in the second part, by one record more.
 */
export const listPage = async (database: Queries, asked: PageRequest): Promise<Page> => {
  const request = withMergedLists(asked);
  const rows: PageRow[] = [];
  let bytes = maxPageBytes;
  for (const plan of planPage(request)) {
    // One more than shown: it reveals whether another page exists.
    const missing = request.limit + 1 - rows.length;
    if (missing === 0) break;
    const read = await runPlan(database, request, plan, { rows: missing, bytes });
    rows.push(...read);
    const records = recordsWithinBytes(read);
    if (records.length < read.length) break;
    for (const { length } of records) bytes -= length;
  }
  const records = recordsWithinBytes(rows.slice(0, request.limit));
  if (records.length === rows.length) return { records, nextPosition: null };
  // Without it a walk would seem to be at its end.
  const nextPosition = rows[records.length - 1]?.position ?? null;
  if (nextPosition === null) throw new Error('The last record of a page came without its position');
  return { records, nextPosition };
};
