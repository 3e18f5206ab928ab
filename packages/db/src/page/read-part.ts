import type { Queries } from '../database.js';
import { type Condition, conditionsOf, isUnaided } from './conditions.js';
import type { PageRequest } from './page-request.js';
import { fewSql, isOfEmptySlot, isReadByValue, type PartSql, sizeSql, type Strategy } from './page-source.js';
import { Parameters } from './parameters.js';
import { rankingOf } from './ranking.js';
import { keysOf, type PageRow, type Part, partSql, readRows, type RowBounds } from './read-rows.js';
import type { KeySql } from './sort-sql.js';

/** Records that a probe reads for words. */
const probedForWords = 5_000;

/** Records that a probe reads for filters. */
const probedForFilters = 20_000;

/**
 * Up to so many matches are found and sorted at once. With a million opportunities that takes 0.8 ms for a range of 0.01 %, where
 * a probe first would take 20 ms.
 */
const fewRecords = 2_000;

/**
 * Where no index helps and what matches is not near, fewer records than these are read as they lie, which takes half as long as in
 * their order and can be shared among the server's processes. Of more, only as many as the page needs are read, in order.
 */
const readAsTheyLie = 1_000_000;

const matchesFew = async (
  database: Queries,
  request: PageRequest,
  part: PartSql,
  records: number,
): Promise<boolean> => {
  const { catalog, objectType } = request;
  const parameters = new Parameters();
  const text = fewSql(request, part, records, { catalog, objectType, parameters });
  if (text === null) return false;
  const [row] = await database.query<{ isFew: boolean }>(catalog.organizationId, { text, values: parameters.values });
  return row?.isFew === true;
};

/** Reads what no index helps to find, in an order that has one. */
const readUnaided = async (
  database: Queries,
  request: PageRequest,
  read: (strategy: Strategy) => Promise<PageRow[]>,
  limit: number,
): Promise<PageRow[]> => {
  const near = await read({ kind: 'probe', records: probedForFilters });
  if (near.length === limit) return near;
  const { catalog, objectType } = request;
  const parameters = new Parameters();
  const text = sizeSql(request, readAsTheyLie, { catalog, objectType, parameters });
  const [row] = await database.query<{ size: number }>(catalog.organizationId, { text, values: parameters.values });
  const size = row?.size ?? readAsTheyLie;
  // Half as many as were looked at: some may have gone since.
  if (size <= probedForFilters / 2) return near;
  return read({ kind: size < readAsTheyLie ? 'gather' : 'direct' });
};

/** Whether the planner finds the page by itself: an index goes in the order wanted behind all conditions, or none has that order. */
const isDirect = (request: PageRequest, keys: readonly KeySql[], conditions: readonly Condition[]): boolean => {
  if (request.sort.length > 1 || keys[0]?.isIndexed !== true || conditions.length === 0) return true;
  return conditions.length === 1 && (conditions[0]?.isInOrder === true || isReadByValue(request, keys));
};

/** The records of one part of a page's order, up to bounds, in as few and small statements as the conditions allow. */
export const readPart = async (
  database: Queries,
  request: PageRequest,
  part: Part,
  bounds: RowBounds,
): Promise<PageRow[]> => {
  const limit = bounds.rows;
  const ranking = rankingOf(request);
  const keys = keysOf(request, ranking, new Parameters());
  const sql = partSql(part, keys);
  const read = (strategy: Strategy): Promise<PageRow[]> => readRows(database, request, strategy, part, bounds);
  if (isOfEmptySlot(request, sql)) return read({ kind: 'direct' });
  const conditions = conditionsOf(request, sql.keys);
  if (ranking !== null || isDirect(request, sql.keys, conditions)) return read({ kind: 'direct' });
  if (conditions.every(isUnaided)) {
    // Records without a key that has no index are found by reading all.
    return keys[0]?.isIndexed === true ? readUnaided(database, request, read, limit) : read({ kind: 'direct' });
  }
  if (conditions.some(({ isSearched }) => isSearched)) {
    const near = await read({ kind: 'probe', records: probedForWords });
    return near.length === limit ? near : read({ kind: 'gather' });
  }
  if (await matchesFew(database, request, sql, fewRecords)) return read({ kind: 'gather' });
  const far = await read({ kind: 'probe', records: probedForFilters });
  return far.length === limit ? far : read({ kind: 'gather' });
};
