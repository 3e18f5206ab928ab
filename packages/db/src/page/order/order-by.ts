import type { KeySql } from './sort-keys.js';

/**
 * `ORDER BY` of the keys, nulls last in both directions. A key that cannot be null has no `NULLS LAST`, because its index has none.
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
 * Whether the index of an expression has the order of `keys`. For a fixed value, every index continues in `created_at` order, and
 * some columns have a second one that continues in `updated_at` order. Several values in their own order are the order of the
 * field itself.
 */
export const continuesInOrder = (expression: string, isOneValue: boolean, [first]: readonly KeySql[]): boolean =>
  first?.expression === expression ||
  (isOneValue &&
    (first?.expression === 'r.created_at' ||
      (first?.expression === 'r.updated_at' && continuesByChange.test(expression))));
