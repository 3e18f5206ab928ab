import {
  type CursorPosition,
  fieldKey,
  type FilterNode,
  matchesFilter,
  type SortDirection,
  sortKey,
} from '@crm/domain';
import { type ComparisonType, fieldSql, idsOfMatchingLabels, type LabelField, labelField, slots } from './fields.js';
import { conjuncts } from './filter-sql.js';
import type { PageRequest } from './page-request.js';
import type { Parameters, SqlScope } from './parameters.js';

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

/**
 * The sort keys of a request, then `created_at` and `id` in the direction of the last one, so that no two records tie.
 *
 * `amount:desc` → `r.amount`, `r.created_at`, `r.id`, all descending
 */
const requestKeys = (scope: SqlScope, { sort }: PageRequest): readonly KeySql[] => {
  const keys: KeySql[] = sort.map(({ field, direction }) => {
    const { key, type, nullable, isIndexed } = fieldSql(scope, field);
    return { expression: key, type, nullable, direction, isIndexed };
  });
  const direction = sort.at(-1)?.direction ?? 'asc';
  for (const [expression, type] of [['r.created_at', 'timestamptz'] as const, ['r.id', 'uuid'] as const]) {
    // Ids are unique, so no key is needed after them.
    if (keys.some((key) => key.expression === 'r.id' || key.expression === expression)) continue;
    keys.push({ expression, type, nullable: false, direction, isIndexed: true });
  }
  return keys;
};

/** An order by labels of the organization's setup. `plans/in-page-order.ts` reads it id by id. */
export interface LabelRanking {
  readonly column: LabelField['column'];
  readonly direction: SortDirection;
  /** The sort key of each label by its id, for all ids or for those that a filter allows. */
  readonly labels: ReadonlyMap<string, string>;
}

/** The ranking of a request. Null if the request does not sort by a label alone, or has conditions other than one filter on that label. */
export const labelRanking = (request: PageRequest, isReadByPipeline: boolean): LabelRanking | null => {
  const { setup, words, stageId, filters, sort, pipelineId } = request;
  const [key, second] = sort;
  const field = key === undefined ? null : labelField(setup, key.field);
  if (key === undefined || field === null || second !== undefined || words.length > 0 || stageId !== null) return null;
  // The index on owners starts with the pipeline. So a request that names no pipeline must be read pipeline by pipeline.
  if (field.column === 'owner_id' && pipelineId === null && !isReadByPipeline) return null;
  // Numbers are compared in SQL.
  if ([...field.labels.values()].some((label) => typeof label !== 'string')) return null;
  const labels = [...field.labels].map(([id, label]) => [id, sortKey(String(label))] as const);
  const ranking = { column: field.column, direction: key.direction };
  const [leaf, other] = conjuncts(filters);
  if (leaf === undefined) return { ...ranking, labels: new Map(labels) };
  const compared = leaf.kind === 'leaf' ? labelField(setup, leaf.field) : null;
  if (leaf.kind !== 'leaf' || compared?.column !== field.column || other !== undefined) return null;
  if (matchesFilter(leaf, () => null)) return null;
  const matching = new Set(idsOfMatchingLabels(compared, leaf));
  return { ...ranking, labels: new Map(labels.filter(([id]) => matching.has(id))) };
};

/** The sort keys of a page. The key of a ranking is a column of the subselect in `plans/in-page-order.ts`. */
export const pageKeys = (scope: SqlScope, request: PageRequest, ranking: LabelRanking | null): readonly KeySql[] => {
  const keys = requestKeys(scope, request);
  if (ranking === null) return keys;
  const presence = `r.${ranking.column}`;
  const rankKey = { expression: 'r.rank_key', presence, type: 'text', nullable: true, isIndexed: true } as const;
  return [{ ...rankKey, direction: ranking.direction }, ...keys.slice(1)];
};

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

/** Columns with a second index that continues in `updated_at` order. Stages have a third one, in the order of `stage_entered_at`. */
const continuesByChange = /^r\.(?:(?:text|number)_[1-8]|stage_id|owner_id|pipeline_id)$/;

/**
 * Whether an index on an expression returns records in the order of `keys`. For a fixed value, the index continues in `created_at` order.
 * Some columns have further indexes that continue in other orders. For several values, the index is in order only if the expression is
 * the first sort key.
 */
export const continuesInOrder = (expression: string, isOneValue: boolean, [first]: readonly KeySql[]): boolean =>
  first?.expression === expression ||
  (isOneValue &&
    (first?.expression === 'r.created_at' ||
      (first?.expression === 'r.updated_at' && continuesByChange.test(expression)) ||
      (first?.expression === 'r.stage_entered_at' && expression === 'r.stage_id')));

/**
 * The condition that a record sorts after a cursor's position. Nulls sort last, so a record with null comes after each record with a
 * value. If the position has a null, only the next keys decide. An index finds the start of a row comparison, which needs keys of one
 * direction and without nulls.
 *
 * - `created_at:desc` → `(r.created_at, r.id) < ($2::timestamptz, $3::uuid)`
 * - `close_date:asc, name:desc` → `((r.close_date > $2::bigint OR r.close_date IS NULL) OR (r.close_date = $2::bigint AND …))`
 */
const afterPositionSql = (keys: readonly KeySql[], position: CursorPosition, parameters: Parameters): string => {
  const bound = keys.map((key, index) => {
    const value = position[index] ?? null;
    return { ...key, value: value === null ? null : `${parameters.add(value)}::${key.type}` };
  });
  const after = (direction: SortDirection): string => (direction === 'asc' ? '>' : '<');
  const direction = keys[0]?.direction ?? 'asc';
  if (keys.every((key) => !key.nullable && key.direction === direction)) {
    const values = bound.map(({ value }) => value ?? 'NULL');
    return `(${bound.map(({ expression }) => expression).join(', ')}) ${after(direction)} (${values.join(', ')})`;
  }
  const alternatives = bound.flatMap((key, index) => {
    if (key.value === null) return [];
    const ties = bound
      .slice(0, index)
      .map(({ expression, value }) => (value === null ? `${expression} IS NULL` : `${expression} = ${value}`));
    const beyond = `${key.expression} ${after(key.direction)} ${key.value}`;
    return [[...ties, key.nullable ? `(${beyond} OR ${key.expression} IS NULL)` : beyond].join(' AND ')];
  });
  return `(${alternatives.map((alternative) => `(${alternative})`).join(' OR ')})`;
};

/**
 * The parts of an order. If the only sort key is nullable, the records with a value (`present`) are read before those without
 * (`absent`), each in index order. One statement for both would have to sort all records.
 */
export type Part = 'all' | 'present' | 'absent';

/** The order of one part. */
export interface PartOrder {
  readonly part: Part;
  /** The condition for the records of this part, then that for the records after the cursor's position. */
  readonly conditions: readonly string[];
  /** Where the page starts within the part; null for its start, also if the position is in the part before. */
  readonly position: CursorPosition | null;
  /** The slot that is empty in the records of this part; null if the key is not a slot. */
  readonly emptySlot: string | null;
  /** The sort keys within the part. */
  readonly keys: readonly KeySql[];
  /** What to sort by: {@link keys}, after the indexed key that no record of the part has, so that only the index of that key fits. */
  readonly order: readonly KeySql[];
}

/** Whether the filters exclude records without the field that the request sorts by. */
const requiresKey = ({ filters, sort: [key] }: PageRequest): boolean =>
  conjuncts(filters).some(
    (node: FilterNode) =>
      node.kind === 'leaf' &&
      key !== undefined &&
      fieldKey(node.field) === fieldKey(key.field) &&
      !matchesFilter(node, () => null),
  );

/** The parts that may have records after the position of a request. */
export const partsOf = (request: PageRequest, [first, second]: readonly KeySql[]): readonly Part[] => {
  const { sort, position } = request;
  if (first?.nullable !== true || sort.length !== 1 || second === undefined) return ['all'];
  if (position !== null && position[0] === null) return ['absent'];
  return requiresKey(request) ? ['present'] : ['present', 'absent'];
};

/** The sort keys of one part: in `present`, the first key is never null; in `absent`, it is left out. */
export const keysOfPart = (part: Part, [first, ...others]: readonly KeySql[]): readonly KeySql[] => {
  if (first === undefined || part === 'absent') return others;
  return part === 'all' ? [first, ...others] : [{ ...first, nullable: false }, ...others];
};

/**
 * Where a page starts within a part; null for the start of the part. The part `absent` comes after all records with a value, and its
 * keys are those of the request without the first one.
 */
const positionIn = (part: Part, position: CursorPosition | null): CursorPosition | null => {
  if (part !== 'absent' || position === null) return position;
  return position[0] === null ? position.slice(1) : null;
};

/** The order of one part after a position. */
export const partOrder = (
  part: Part,
  pageOrder: readonly KeySql[],
  request: PageRequest,
  parameters: Parameters,
): PartOrder => {
  const keys = keysOfPart(part, pageOrder);
  const position = positionIn(part, request.position);
  const after = position === null ? [] : [afterPositionSql(keys, position, parameters)];
  const own = { part, position, keys, order: keys, emptySlot: null, conditions: after };
  const [first] = pageOrder;
  if (part === 'all' || first === undefined) return own;
  const presence = first.presence ?? first.expression;
  if (part === 'present') return { ...own, conditions: [`${presence} IS NOT NULL`, ...after] };
  if (slots.some((slot) => first.expression === `r.${slot}`)) return { ...own, emptySlot: first.expression };
  const lacking = first.isIndexed ? [{ ...first, expression: presence, nullable: false }] : [];
  return { ...own, conditions: [`${presence} IS NULL`, ...after], order: [...lacking, ...keys] };
};
