import type { Parameters } from '../parameters.js';

/**
 * A condition that a record's column equals one of a few values. After each value, an index continues in page order. So at most one
 * page is read per value, and the results are merged. For `column = ANY (…)`, PostgreSQL would read all matches and sort them.
 */
export interface Branches {
  /** The condition on `r`, which refers to a column of {@link from}. */
  readonly condition: string;
  /** The values as an item of FROM. Generated on demand, because requests with too many branches do not use it. */
  from(parameters: Parameters): string;
  readonly count: number;
}

/** The number of combinations of several branches. */
export const countOf = (branches: readonly Branches[]): number =>
  branches.reduce((count, branch) => count * branch.count, 1);

/** A bounded read of a table as SQL. */
export interface TableRead {
  readonly table: string;
  readonly where: readonly string[];
  readonly order: string;
  readonly limit: number;
}

/** An ordered, bounded subselect with further conditions. */
export const subselect = ({ table, where, order, limit }: TableRead, ...conditions: readonly string[]): string =>
  `(SELECT r.* FROM ${table} r WHERE ${[...where, ...conditions].join(' AND ')} ORDER BY ${order} LIMIT ${limit})`;

/**
 * The rows of all branches, each read in order up to the limit: `unnest(…) AS by_value (value) CROSS JOIN LATERAL (SELECT …) r`. Without
 * branches, it is one bounded subselect.
 */
export const mergedSql = (read: TableRead, branches: readonly Branches[], parameters: Parameters): string => {
  const rows = `${subselect(read, ...branches.map(({ condition }) => condition))} r`;
  const values = branches.map((branch) => branch.from(parameters)).join(' CROSS JOIN ');
  return values === '' ? rows : `${values} CROSS JOIN LATERAL ${rows}`;
};
