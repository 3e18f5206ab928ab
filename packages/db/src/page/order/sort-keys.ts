import type { SortDirection, SortKey } from '@crm/domain';
import type { ComparisonType } from '../fields/field-sql.js';
import { fieldSql } from '../fields/resolve-field.js';
import type { SqlScope } from '../parameters.js';

/** One sort key. */
export interface KeySql {
  readonly expression: string;
  /** An expression that is null exactly if the key is. By default the key itself. */
  readonly presence?: string;
  readonly type: ComparisonType;
  readonly nullable: boolean;
  readonly direction: SortDirection;
  /** Whether an index has this key directly after organization and pipeline. */
  readonly isIndexed: boolean;
}

/** An instant as RFC 3339 text in UTC at the stored precision, independent of the session's time zone and date style. */
export const instantText = (expression: string): string =>
  `to_char(${expression} AT TIME ZONE 'UTC', 'YYYY-MM-DD"T"HH24:MI:SS.MS"Z"')`;

/** The text of a key for a cursor. */
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
 * All sort keys: those of the request, then `created_at` and `id` in the direction of the last one, so that no two records tie.
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
    // Ids are unique, so no key is needed after them.
    if (keys.some(({ expression }) => expression === 'r.id' || expression === `r.${name}`)) continue;
    keys.push(closing(name, direction));
  }
  return keys;
};
