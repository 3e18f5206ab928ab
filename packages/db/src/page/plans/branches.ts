import type { Bound } from '../bound.js';
import type { Parameters } from '../parameters.js';

/**
 * A condition that a record's column equals one of a few values. Each value has its own place in an index, and the index continues in
 * the order of the page. So each branch is read up to a page, and the branches are merged. PostgreSQL by itself would read all
 * matches and sort them.
 */
export interface Branches {
  /** The condition on `r`, which names a column of the values below. */
  readonly condition: string;
  /** The values as an item of FROM. Generated on demand, because too many branches are never read. */
  from(parameters: Parameters): string;
  readonly count: number;
}

/** The product of all branches. */
export const countOf = (branches: readonly Branches[]): number =>
  branches.reduce((count, branch) => count * branch.count, 1);

/** What to read of a table, as SQL. */
export interface TableRead {
  readonly table: string;
  readonly where: readonly string[];
  readonly order: string;
  readonly bound: Bound;
}

/** An ordered, bounded subselect under further conditions. */
export const subselect = ({ table, where, order, bound }: TableRead, ...conditions: readonly string[]): string =>
  `(${bound(`SELECT r.* FROM ${table} r WHERE ${[...where, ...conditions].join(' AND ')} ORDER BY ${order}`)})`;

/**
 * The rows of branches, each read in order up to a bound: `unnest(…) AS by_value (value) CROSS JOIN LATERAL (SELECT …) r`. Without
 * branches, one bounded subselect.
 */
export const mergedSql = (read: TableRead, branches: readonly Branches[], parameters: Parameters): string => {
  const rows = `${subselect(read, ...branches.map(({ condition }) => condition))} r`;
  const values = branches.map((branch) => branch.from(parameters)).join(' CROSS JOIN ');
  return values === '' ? rows : `${values} CROSS JOIN LATERAL ${rows}`;
};
