import type { KeySql } from './sort-keys.js';

/**
 * The `ORDER BY` list of the keys, with nulls last in both directions. A key that is never null gets no `NULLS LAST`, to match its index.
 *
 * `amount:desc` → `r.amount DESC NULLS LAST, r.created_at DESC, r.id DESC`
 */
export const orderBySql = (keys: readonly KeySql[]): string =>
  keys
    .map(({ expression, direction, nullable }) => {
      const order = `${expression} ${direction === 'asc' ? 'ASC' : 'DESC'}`;
      return nullable && direction === 'desc' ? `${order} NULLS LAST` : order;
    })
    .join(', ');

/** Columns with a second index that continues in `updated_at` order. */
const continuesByChange = /^r\.(?:(?:text|number)_[1-8]|stage_id|owner_id|pipeline_id)$/;

/**
 * Whether an index on an expression returns records in the order of `keys`. For a fixed value, the index continues in `created_at` order.
 * Some columns have a second index that continues in `updated_at` order. For several values, the index is in order only if the expression
 * is the first sort key.
 */
export const continuesInOrder = (expression: string, isOneValue: boolean, [first]: readonly KeySql[]): boolean =>
  first?.expression === expression ||
  (isOneValue &&
    (first?.expression === 'r.created_at' ||
      (first?.expression === 'r.updated_at' && continuesByChange.test(expression))));
