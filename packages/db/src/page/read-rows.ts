import type { Queries } from '../database.js';
import { recordColumn } from '../connection/values.js';
import type { CursorPosition } from '@crm/domain';
import { bytesWithin, keptLimitTo, limitTo } from './bound.js';
import { slotOf } from './empty-slots.js';
import type { PageRequest } from './page-request.js';
import { type PartSql, sourceSql, type Strategy } from './page-source.js';
import { Parameters } from './parameters.js';
import { type Ranking, rankedKeys, rankedSql, rankingOf } from './ranking.js';
import { recordSql } from './record-sql.js';
import { afterPositionSql, type KeySql, keyText, orderBySql, sortKeysSql } from './sort-sql.js';

/** A record, and its sort keys as text. */
export interface PageRow {
  /** Null for a record that would make the page longer than its bound of bytes. */
  readonly [recordColumn]: Buffer | null;
  /** Only of the last record but one, where there are as many as were asked for, and of the last one before the bound of bytes. */
  readonly position: (string | null)[] | null;
}

/**
 * The parts that an order falls into. Where its one key can be null, the records that have it and those that do not are read
 * one after the other, each straight from an index; asking for both at once would sort them all.
 */
export type Part = 'all' | 'present' | 'absent';

/** The condition and the keys of one part, as the order within it. */
export const partSql = (part: Part, keys: readonly KeySql[]): PartSql => {
  const [first, ...others] = keys;
  if (part === 'all' || first === undefined) return { conditions: [], emptySlot: null, keys };
  const presence = first.presence ?? first.expression;
  const emptySlot = slotOf(first);
  if (part === 'absent')
    return { conditions: emptySlot === null ? [`${presence} IS NULL`] : [], emptySlot, keys: others };
  return { conditions: [`${presence} IS NOT NULL`], emptySlot: null, keys: [{ ...first, nullable: false }, ...others] };
};

/** Shapes that are few and simple are kept prepared; a filter or a word is planned for its own values. */
const isFixedShape = ({ words, filters, selection, sort }: PageRequest): boolean =>
  words.length === 0 &&
  filters === null &&
  selection.isDefault &&
  sort.length === 1 &&
  sort[0]?.field.source === 'system';

/** The keys of a page's order. */
export const keysOf = (request: PageRequest, ranking: Ranking | null, parameters: Parameters): readonly KeySql[] =>
  ranking === null
    ? sortKeysSql(request.catalog, request.objectType, request.sort, parameters)
    : rankedKeys(request, ranking);

/** Where a part starts: behind the position, or at its beginning where the position is in the part before. */
const positionIn = (part: Part, position: CursorPosition | null): CursorPosition | null => {
  if (part !== 'absent') return position;
  return position === null || position[0] !== null ? null : position.slice(1);
};

/** How much of a part is read. */
export interface RowBounds {
  readonly rows: number;
  /** Of records; the first one comes however long it is. */
  readonly bytes: number;
}

/** Reads so many of a part's records in one statement, found as the strategy says. */
export const readRows = async (
  database: Queries,
  request: PageRequest,
  strategy: Strategy,
  part: Part,
  limit: RowBounds,
): Promise<PageRow[]> => {
  const { catalog, objectType } = request;
  const parameters = new Parameters();
  const ranking = rankingOf(request);
  const keys = keysOf(request, ranking, parameters);
  const own = partSql(part, keys);
  const partKeys = own.keys;
  const position = positionIn(part, request.position);
  const scope = { catalog, objectType, parameters };
  // Where the order goes on among records without its key, which of two indexes is better depends on how far it has come.
  const isPrepared = isFixedShape(request) && part !== 'absent';
  const count = parameters.add(limit.rows);
  const bound = isPrepared ? keptLimitTo(limit.rows, count) : limitTo(count);
  const read = (): string => {
    if (ranking !== null && part === 'present') return rankedSql(request, ranking, position, bound, parameters);
    const after = position === null ? [] : [afterPositionSql(partKeys, position, parameters)];
    return sourceSql(request, strategy, { ...own, conditions: [...own.conditions, ...after] }, bound, scope);
  };
  const source = read();
  const columns = keys.map((key, index) => {
    const expression = part === 'absent' && index === 0 ? `NULL::${key.type}` : key.expression;
    return `${expression} AS key_${index + 1}`;
  });
  const shownKeys = keys.map((key, index) => ({ ...key, expression: `s.key_${index + 1}` }));
  const order = orderBySql(partSql(part, shownKeys).keys);
  // What a probe reads comes in order, and is cut while it comes. Asked for the order once more, the server would not see that it is
  // there where keys are made of columns, and would read and sort all that the probe may read.
  // A cursor names the last record that is shown, which is the last but one or the last before the bound of bytes: making and
  // reading texts of keys costs a third of a page, so no other record has them.
  const page = `SELECT ${recordSql(objectType, request.selection, parameters)} AS record, ${columns.join(', ')} ${source}${strategy.kind === 'probe' ? '' : ` ORDER BY ${orderBySql(partKeys)}`}`;
  const { isWithin, isLastWithin } = bytesWithin(`${parameters.add(limit.bytes)}::bigint`);
  const text = `
    SELECT CASE WHEN ${isWithin} THEN s.record END AS ${recordColumn},
           CASE WHEN row_number() OVER w = ${count}::bigint - 1 OR ${isLastWithin}
             THEN ARRAY[${shownKeys.map(keyText).join(', ')}] END AS position
      FROM (${bound(page)}) s WINDOW w AS (ORDER BY ${order} ROWS UNBOUNDED PRECEDING)
     ORDER BY ${order}`;
  const statement = { text, values: parameters.values, isPrepared };
  return database.query<PageRow & Record<string, unknown>>(catalog.organizationId, statement);
};
