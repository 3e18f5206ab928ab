import type { SortDirection, SortKey } from '@crm/domain';
import type { ComparisonType } from '../fields/field-sql.js';
import { fieldSql } from '../fields/resolve-field.js';
import type { SqlScope } from '../parameters.js';

/** One key of an order. */
export interface KeySql {
  readonly expression: string;
  /** An expression that is null exactly if the key is. Absent: the key itself. */
  readonly presence?: string;
  readonly type: ComparisonType;
  readonly nullable: boolean;
  readonly direction: SortDirection;
  /** Whether an index has this order, right after organization and pipeline. */
  readonly isIndexed: boolean;
}

/** Instants as text at the stored precision, whatever the session's time zone and date style. */
export const instantText = (expression: string): string =>
  `to_char(${expression} AT TIME ZONE 'UTC', 'YYYY-MM-DD"T"HH24:MI:SS.MS"Z"')`;

/** A key as text, as cursors carry it. */
export const keyText = ({ expression, type }: KeySql): string =>
  type === 'timestamptz' ? instantText(expression) : `(${expression})::text`;

const closing = (name: 'created_at' | 'id', direction: SortDirection): KeySql => ({
  expression: `r.${name}`,
  type: name === 'id' ? 'uuid' : 'timestamptz',
  nullable: false,
  direction,
  isIndexed: true,
});

/**
 * The keys of an order: those of the request, then `created_at` and `id` in the direction of the last, so that no two records tie.
 *
 * `amount:desc` → `r.amount`, `r.created_at`, `r.id`, all descending
 */
export const sortKeysSql = (scope: SqlScope, sort: readonly SortKey[]): readonly KeySql[] => {
  const keys: KeySql[] = [];
  let direction: SortDirection = 'asc';
  for (const key of sort) {
    const field = fieldSql(scope, key.field);
    keys.push({
      expression: field.key,
      type: field.type,
      nullable: field.nullable,
      direction: key.direction,
      isIndexed: field.isIndexed,
    });
    direction = key.direction;
  }
  for (const name of ['created_at', 'id'] as const) {
    // No records tie on an id.
    if (keys.some(({ expression }) => expression === 'r.id' || expression === `r.${name}`)) continue;
    keys.push(closing(name, direction));
  }
  return keys;
};
