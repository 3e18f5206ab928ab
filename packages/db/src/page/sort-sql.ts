import type { CursorPosition, ObjectType, SortDirection, SortKey } from '@crm/domain';
import type { Catalog } from '../catalog.js';
import { type ComparisonType, fieldSql } from './field-sql.js';
import type { Parameters } from './parameters.js';

/** One key of an order, closing ones included. */
export interface KeySql {
  readonly expression: string;
  /** What is null exactly where the key is, if not the key itself. */
  readonly presence?: string;
  readonly type: ComparisonType;
  readonly nullable: boolean;
  readonly direction: SortDirection;
  /** Whether an index goes in this key's order, behind organization and pipeline. */
  readonly isIndexed: boolean;
}

/** Instants as text at the precision that is stored, whatever the session's time zone and date style. */
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

/** The keys of an order: those asked for, then `created_at` and `id` in the direction of the last, so that no two records tie. */
export const sortKeysSql = (
  catalog: Catalog,
  objectType: ObjectType,
  sort: readonly SortKey[],
  parameters: Parameters,
): readonly KeySql[] => {
  const keys: KeySql[] = [];
  let direction: SortDirection = 'asc';
  for (const key of sort) {
    const field = fieldSql(catalog, objectType, key.field, parameters);
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
    // Behind an id nothing can tie any more.
    if (keys.some(({ expression }) => expression === 'r.id' || expression === `r.${name}`)) continue;
    keys.push(closing(name, direction));
  }
  return keys;
};

/** `ORDER BY` of the keys, nulls last both ways. A key that cannot be null is left bare, as its index has it. */
export const orderBySql = (keys: readonly KeySql[]): string =>
  keys
    .map(({ expression, direction, nullable }) => {
      const order = `${expression} ${direction === 'asc' ? 'ASC' : 'DESC'}`;
      return nullable && direction === 'desc' ? `${order} NULLS LAST` : order;
    })
    .join(', ');

const after = (direction: SortDirection): string => (direction === 'asc' ? '>' : '<');

/** Whether one row comparison says it all: one direction and no nulls. Such a comparison goes straight to its place in an index. */
const isRowComparable = (keys: readonly KeySql[]): boolean =>
  keys.every(({ nullable, direction }) => !nullable && direction === keys[0]?.direction);

/**
 * The condition that a record comes after a position. Nulls come last: behind a value come greater ones and nulls, behind a
 * null only what the next keys tell.
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
