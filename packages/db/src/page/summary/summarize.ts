import type { Queries } from '../../database.js';
import { withMergedLists } from '../filter/merge-lists.js';
import { Parameters } from '../parameters.js';
import type { SummaryRequest } from './summary-request.js';
import { type SummaryRowKind, summarySql } from './summary-sql.js';

/** One group of records. Its keys are in the order of the request's groups. */
export interface SummaryGroupRow {
  readonly keys: readonly (string | null)[];
  /** Null for keys without a label in the database. */
  readonly labels: readonly (string | null)[];
  readonly count: number;
  /** Decimal numbers as text, in the order of the measures. Null if no record of the group has a value. */
  readonly values: readonly (string | null)[];
}

/** All records of a summary, or those of one currency. */
export type SummaryTotalRow = Pick<SummaryGroupRow, 'count' | 'values'>;

/** A summary as the database returns it. */
export interface Summary {
  /** The largest first. */
  readonly groups: readonly SummaryGroupRow[];
  readonly total: SummaryTotalRow;
  /** The totals of each currency, the largest first. Empty if the request does not separate currencies. */
  readonly totalsOfCurrencies: readonly (SummaryTotalRow & { readonly currency: string | null })[];
  /** Whether there are more groups than the limit. */
  readonly isTruncated: boolean;
}

interface Row {
  readonly kind: SummaryRowKind;
  /** Null for totals. */
  readonly keys: readonly (string | null)[] | null;
  /** Null for totals. */
  readonly labels: readonly (string | null)[] | null;
  readonly currency: string | null;
  readonly size: string;
  readonly values: readonly (string | null)[];
}

const totalOf = ({ size, values }: Row): SummaryTotalRow => ({ count: Number(size), values });

/** Groups the matching records of a request in one statement. */
export const summarize = async (database: Queries, request: SummaryRequest): Promise<Summary> => {
  const parameters = new Parameters();
  const text = summarySql({ ...request, page: withMergedLists(request.page) }, parameters);
  const { organizationId } = request.page.setup;
  const statement = { text, values: parameters.values };
  const rows = await database.query<Row & Record<string, unknown>>(organizationId, statement);
  const groups = rows.filter(({ kind }) => kind === 'group');
  const total = rows.find(({ kind }) => kind === 'total');
  if (total === undefined) throw new Error('A summary has no total');
  return {
    groups: groups
      .slice(0, request.limit)
      .map((row) => ({ ...totalOf(row), keys: row.keys ?? [], labels: row.labels ?? [] })),
    total: totalOf(total),
    totalsOfCurrencies: rows
      .filter(({ kind }) => kind === 'currency')
      .map((row) => ({ ...totalOf(row), currency: row.currency })),
    isTruncated: groups.length > request.limit,
  };
};
