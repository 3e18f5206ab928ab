import type { CursorPosition, SortDirection } from '@crm/domain';
import type { Parameters } from '../parameters.js';
import type { KeySql } from './sort-keys.js';

const after = (direction: SortDirection): string => (direction === 'asc' ? '>' : '<');

/** Whether one row comparison is enough: all keys have the same direction and no nulls. An index finds the start of such a range. */
const isRowComparable = (keys: readonly KeySql[]): boolean =>
  keys.every(({ nullable, direction }) => !nullable && direction === keys[0]?.direction);

/**
 * The condition that a record sorts after a cursor's position. Nulls sort last, so a record with null comes after each record with a
 * value. If the position has a null, only the next keys decide.
 *
 * - `created_at:desc` → `(r.created_at, r.id) < ($2::timestamptz, $3::uuid)`
 * - `close_date:asc, name:desc` → `((r.close_date > $2::bigint OR r.close_date IS NULL) OR (r.close_date = $2::bigint AND …))`
 */
export const afterPositionSql = (keys: readonly KeySql[], position: CursorPosition, parameters: Parameters): string => {
  const bound = keys.map((key, index) => {
    const value = position[index] ?? null;
    return { key, value: value === null ? null : `${parameters.add(value)}::${key.type}` };
  });
  if (isRowComparable(keys)) {
    const left = bound.map(({ key }) => key.expression).join(', ');
    const right = bound.map(({ value }) => value ?? 'NULL').join(', ');
    return `(${left}) ${after(keys[0]?.direction ?? 'asc')} (${right})`;
  }
  const alternatives = bound.flatMap(({ key, value }, index) => {
    if (value === null) return [];
    const ties = bound
      .slice(0, index)
      .map((tie) => (tie.value === null ? `${tie.key.expression} IS NULL` : `${tie.key.expression} = ${tie.value}`));
    const beyond = `${key.expression} ${after(key.direction)} ${value}`;
    return [[...ties, key.nullable ? `(${beyond} OR ${key.expression} IS NULL)` : beyond].join(' AND ')];
  });
  return `(${alternatives.map((alternative) => `(${alternative})`).join(' OR ')})`;
};
