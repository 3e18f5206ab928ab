import { type CursorPosition, fieldKey, type FilterNode, fromByteText, matchesFilter, type SortKey } from '@crm/domain';
import { bytesColumn } from '../byte-client.js';
import type { Queries } from '../database.js';
import { conjuncts } from './branches.js';
import { conditionsOf } from './conditions.js';
import type { PageRequest } from './page-request.js';
import { fewSql, isReadByValue, type PartSql, sourceSql, type Strategy } from './page-source.js';
import { Parameters } from './parameters.js';
import { type Ranking, rankedKeys, rankedSql, rankingOf } from './ranking.js';
import { recordSql } from './record-sql.js';
import { afterPositionSql, type KeySql, keyText, orderBySql, sortKeysSql } from './sort-sql.js';

/** A page as the database made it. */
export interface Page {
  /** Each record as JSON, its bytes in UTF-8 as `toByteText` makes them. */
  readonly records: readonly string[];
  /** Where the next page starts, or null when this is the last. */
  readonly nextPosition: CursorPosition | null;
}

/** A record, and its sort keys as text. */
interface PageRow {
  readonly [bytesColumn]: string;
  /** Only of the last record but one, where there are as many as were asked for. */
  readonly position: (string | null)[] | null;
}

/**
 * The parts that an order falls into. Where its one key can be null, the records that have it and those that do not are read
 * one after the other, each straight from an index; asking for both at once would sort them all.
 */
type Part = 'all' | 'present' | 'absent';

/** Whether a filter holds for no record without the field that a sort names: then there is no such part to look through. */
const requiresField = (filters: FilterNode | null, [key]: readonly SortKey[]): boolean =>
  conjuncts(filters).some(
    (node) =>
      node.kind === 'leaf' &&
      key !== undefined &&
      fieldKey(node.field) === fieldKey(key.field) &&
      !matchesFilter(node, () => null),
  );

const partsOf = ([first, second]: readonly KeySql[], { sort, filters, position }: PageRequest): readonly Part[] => {
  if (first?.nullable !== true || sort.length !== 1 || second === undefined) return ['all'];
  if (position !== null && position[0] === null) return ['absent'];
  return requiresField(filters, sort) ? ['present'] : ['present', 'absent'];
};

/** The condition and the keys of one part, as the order within it. */
const partSql = (part: Part, keys: readonly KeySql[]): PartSql => {
  const [first, ...others] = keys;
  if (part === 'all' || first === undefined) return { conditions: [], keys };
  const presence = first.presence ?? first.expression;
  if (part === 'absent') return { conditions: [`${presence} IS NULL`], keys: others };
  return { conditions: [`${presence} IS NOT NULL`], keys: [{ ...first, nullable: false }, ...others] };
};

/** Shapes that are few and simple are kept prepared; a filter or a word is planned for its own values. */
const isFixedShape = ({ words, filters, selection, sort }: PageRequest): boolean =>
  words.length === 0 &&
  filters === null &&
  selection.isDefault &&
  sort.length === 1 &&
  sort[0]?.field.source === 'system';

/** The keys of a page's order. */
const keysOf = (request: PageRequest, ranking: Ranking | null, parameters: Parameters): readonly KeySql[] =>
  ranking === null
    ? sortKeysSql(request.catalog, request.objectType, request.sort, parameters)
    : rankedKeys(request, ranking);

/** Where a part starts: behind the position, or at its beginning where the position is in the part before. */
const positionIn = (part: Part, position: CursorPosition | null): CursorPosition | null => {
  if (part !== 'absent') return position;
  return position === null || position[0] !== null ? null : position.slice(1);
};

const readRows = async (
  database: Queries,
  request: PageRequest,
  strategy: Strategy,
  part: Part,
  limit: number,
): Promise<PageRow[]> => {
  const { catalog, objectType } = request;
  const parameters = new Parameters();
  const ranking = rankingOf(request);
  const keys = keysOf(request, ranking, parameters);
  const { conditions, keys: partKeys } = partSql(part, keys);
  const position = positionIn(part, request.position);
  const scope = { catalog, objectType, parameters };
  const read = (): string => {
    if (ranking !== null && part === 'present') return rankedSql(request, ranking, position, limit, parameters);
    const after = position === null ? [] : [afterPositionSql(partKeys, position, parameters)];
    return sourceSql(request, strategy, { conditions: [...conditions, ...after], keys: partKeys }, limit, scope);
  };
  const source = read();
  const count = parameters.add(limit);
  const columns = keys.map((key, index) => {
    const expression = part === 'absent' && index === 0 ? `NULL::${key.type}` : key.expression;
    return `${expression} AS key_${index + 1}`;
  });
  const shownKeys = keys.map((key, index) => ({ ...key, expression: `s.key_${index + 1}` }));
  const order = orderBySql(partSql(part, shownKeys).keys);
  // A cursor names the last record that is shown, which is the last but one: making and reading texts of keys costs a third of a
  // page, so no other record has them.
  const text = `
    SELECT s.record AS ${bytesColumn}, CASE row_number() OVER (ORDER BY ${order}) WHEN ${count}::bigint - 1
             THEN ARRAY[${shownKeys.map(keyText).join(', ')}] END AS position
      FROM (SELECT ${recordSql(objectType, request.selection, parameters)} AS record, ${columns.join(', ')}
              ${source} ORDER BY ${orderBySql(partKeys)} LIMIT ${count}) s
     ORDER BY ${order}`;
  const statement = { text, values: parameters.values, isPrepared: isFixedShape(request) };
  return database.query<PageRow & Record<string, unknown>>(catalog.organizationId, statement);
};

/** Records that a first look reads: few for ranges, since most that are used hold often; more for words, which do not. */
const glancedForRanges = 500;
const probedForWords = 5_000;

/** Records that a look reads where those that match are known to be many. */
const probedForFilters = 20_000;

/** So many matches are sorted without looking further. */
const fewRecords = 2_000;

const matchesFew = async (database: Queries, request: PageRequest, part: PartSql): Promise<boolean> => {
  const { catalog, objectType } = request;
  const parameters = new Parameters();
  const text = fewSql(request, part, fewRecords, { catalog, objectType, parameters });
  if (text === null) return false;
  const [row] = await database.query<{ isFew: boolean }>(catalog.organizationId, { text, values: parameters.values });
  return row?.isFew === true;
};

/** Whether the planner finds the page by itself: an index goes in the order wanted behind all conditions, or none helps. */
const isDirect = (request: PageRequest, keys: readonly KeySql[]): boolean => {
  if (request.sort.length > 1 || keys[0]?.isIndexed !== true) return true;
  const conditions = conditionsOf(request, keys);
  if (conditions.every(({ counting, isSearched }) => counting === null && !isSearched)) return true;
  return conditions.length === 1 && (conditions[0]?.isInOrder === true || isReadByValue(request, keys));
};

const readPart = async (database: Queries, request: PageRequest, part: Part, limit: number): Promise<PageRow[]> => {
  const ranking = rankingOf(request);
  const keys = keysOf(request, ranking, new Parameters());
  const sql = partSql(part, keys);
  const read = (strategy: Strategy): Promise<PageRow[]> => readRows(database, request, strategy, part, limit);
  if (ranking !== null || isDirect(request, sql.keys)) return read({ kind: 'direct' });
  const conditions = conditionsOf(request, sql.keys);
  const isSearch = conditions.some(({ isSearched }) => isSearched);
  // One value often holds for few, and is counted at less than the cost of a look.
  if (isSearch || !conditions.some(({ counting }) => counting?.isByCreation === true)) {
    const near = await read({ kind: 'probe', records: isSearch ? probedForWords : glancedForRanges });
    if (near.length === limit) return near;
  }
  if (isSearch || (await matchesFew(database, request, sql))) return read({ kind: 'gather' });
  const far = await read({ kind: 'probe', records: probedForFilters });
  return far.length === limit ? far : read({ kind: 'gather' });
};

/**
 * Reads one page: one statement for most, two for words that are not among the next records, up to four for a filter that is
 * not; and as many again where a page reaches from the records that have the sort key to those that do not.
 */
export const listPage = async (database: Queries, request: PageRequest): Promise<Page> => {
  const keys = keysOf(request, rankingOf(request), new Parameters());
  const rows: PageRow[] = [];
  for (const part of partsOf(keys, request)) {
    // One more than shown tells whether another page exists.
    const missing = request.limit + 1 - rows.length;
    if (missing > 0) rows.push(...(await readPart(database, request, part, missing)));
  }
  const shown = rows.slice(0, request.limit);
  const last = shown.at(-1);
  const records = shown.map((row) => row[bytesColumn]);
  if (rows.length <= request.limit || last === undefined) return { records, nextPosition: null };
  // Without it a walk would seem to be at its end.
  if (last.position === null) throw new Error('The last record of a page came without its position');
  return { records, nextPosition: last.position.map((key) => (key === null ? null : fromByteText(key))) };
};
