import { type Bound, limitTo } from './bound.js';
import { byPipeline, filterBranches, isMergeable, mergedSql, pipelineIdsSql, streamedSql } from './branches.js';
import { byCreation, conditionsOf, type Counting, isUnaided } from './conditions.js';
import { emptySlotSql } from './empty-slots.js';
import { type FilterScope, filterSql } from './filter-sql.js';
import type { PageRequest } from './page-request.js';
import { Parameters } from './parameters.js';
import { tables } from './record-sql.js';
import { type KeySql, orderBySql } from './sort-sql.js';

/**
 * How the rows of a page are found. `direct` leaves it to the planner, which is right where an index goes in the order wanted or
 * nothing helps. No statistics tell where in an order the records lie that match something else: `probe` reads so many records of
 * the order and keeps those that match, which fills a page of what is common; `gather` fetches all that match from their own
 * index and sorts them, which is quick for what is rare.
 */
export type Strategy = { readonly kind: 'direct' | 'gather' } | { readonly kind: 'probe'; readonly records: number };

/** A part of an order: what tells it from the others, and the keys within it. */
export interface PartSql {
  readonly conditions: readonly string[];
  /** The slot that is empty in its records; null where no slot tells, or its index. */
  readonly emptySlot: string | null;
  readonly keys: readonly KeySql[];
}

const pipelineSql = ({ pipelineId }: PageRequest, { parameters }: FilterScope): string[] =>
  pipelineId === null ? [] : [`r.pipeline_id = ${parameters.add(pipelineId)}::uuid`];

/** All of an organization's pipelines by name: the indexes of opportunities start with it. */
const anyPipelineSql = ({ objectType, pipelineId }: PageRequest): string[] =>
  pipelineId !== null || objectType !== 'opportunity' ? [] : [`r.pipeline_id = ANY (ARRAY(${pipelineIdsSql}))`];

/** What of a filter is read value by value, in parts few enough to merge, and the branches of all parts; null when nothing is. */
const valueBranchesOf = (request: PageRequest, keys: readonly KeySql[]) => {
  const scope = { catalog: request.catalog, objectType: request.objectType, parameters: new Parameters() };
  const byValue = filterBranches(scope, request.filters, keys);
  if (byValue === null) return null;
  const branches = [...byPipeline(request), byValue.branches];
  return isMergeable(branches) ? { branches, byValue: byValue.branches, rest: byValue.rest } : null;
};

/** Whether a request's filter is one condition that is read value by value. */
export const isReadByValue = (request: PageRequest, keys: readonly KeySql[]): boolean =>
  valueBranchesOf(request, keys)?.rest.length === 0;

/** Whether a part is all that is asked for: nothing but the slot of its order, which is empty. */
export const isOfEmptySlot = ({ stageId, words, filters }: PageRequest, { emptySlot }: PartSql): boolean =>
  emptySlot !== null && stageId === null && words.length === 0 && filters === null;

const isEmptySql = ({ emptySlot }: PartSql): string[] => (emptySlot === null ? [] : [`${emptySlot} IS NULL`]);

const directSql = (request: PageRequest, part: PartSql, bound: Bound, scope: FilterScope): string => {
  const table = tables[request.objectType];
  if (part.emptySlot !== null && isOfEmptySlot(request, part)) {
    const place = ['r.organization_id = $1', ...pipelineSql(request, scope)].join(' AND ');
    const where = [place, ...part.conditions].join(' AND ');
    return emptySlotSql(request, part.emptySlot, { place, where, order: orderBySql(part.keys), bound });
  }
  const byValue = valueBranchesOf(request, part.keys);
  const branches = byValue?.branches ?? byPipeline(request);
  // What is read value by value is a condition of its branch.
  const conditions = conditionsOf(byValue === null ? request : { ...request, filters: null }, part.keys);
  const where = [
    ...['r.organization_id = $1', ...part.conditions, ...isEmptySql(part), ...pipelineSql(request, scope)],
    ...conditions.map((condition) => condition.sql(scope)),
    ...(byValue?.rest ?? []).map((node) => filterSql(scope, node)),
  ];
  if (branches.length === 0) return `FROM ${table} r WHERE ${where.join(' AND ')}`;
  const streamed =
    byValue === null || branches.length > 1
      ? null
      : streamedSql({ table, where, keys: part.keys, bound }, byValue.byValue, scope.parameters);
  return `FROM ${streamed ?? mergedSql(table, where, branches, orderBySql(part.keys), bound, scope.parameters)}`;
};

/** The next records of an order, as `r`, and what they must meet to match. */
const nearSql = (
  request: PageRequest,
  part: PartSql,
  records: number,
  scope: FilterScope,
): { readonly near: string; readonly match: string } => {
  const { parameters } = scope;
  const conditions = conditionsOf(request, part.keys);
  // One condition that the order goes on behind is followed; a second one might hold for nothing that is near.
  const followed = conditions.find(({ isInOrder }) => isInOrder);
  const where = [
    ...['r.organization_id = $1', ...part.conditions, ...pipelineSql(request, scope)],
    ...(followed === undefined ? [] : [followed.sql(scope)]),
  ];
  const order = orderBySql(part.keys);
  const count = parameters.add(records);
  const branches = byPipeline(request);
  const merged = mergedSql(tables[request.objectType], where, branches, order, limitTo(count), parameters);
  // Cut again where branches were merged: behind the end of one branch nothing is known of what another still has.
  const near = branches.length === 0 ? merged : `(SELECT r.* FROM ${merged} ORDER BY ${order} LIMIT ${count}) r`;
  const others = conditions.filter((condition) => condition !== followed).map((condition) => condition.sql(scope));
  return { near, match: ['true', ...isEmptySql(part), ...others].join(' AND ') };
};

const probeSql = (request: PageRequest, part: PartSql, records: number, scope: FilterScope): string => {
  const { near, match } = nearSql(request, part, records, scope);
  return `FROM ${near} WHERE ${match}`;
};

/**
 * Conditions that a probe has shown to hold for few. The planner has no statistics of them, takes alternatives to hold for half of
 * the records, and would not share the reading among processes; of an equality it reckons with one in two hundred.
 */
const rare = (conditions: readonly string[]): string => `CASE WHEN ${conditions.join(' AND ')} THEN 1 END = 1`;

const gatheredSql = (request: PageRequest, part: PartSql, scope: FilterScope): string => {
  const conditions = conditionsOf(request, part.keys);
  const matches = conditions.map((condition) => condition.sql(scope));
  const where = [
    ...['r.organization_id = $1', ...part.conditions, ...isEmptySql(part), ...pipelineSql(request, scope)],
    ...(conditions.some(({ counting }) => counting !== null) ? anyPipelineSql(request) : []),
    ...(conditions.every(isUnaided) ? [rare(matches)] : matches),
  ];
  return `SELECT r.* FROM ${tables[request.objectType]} r WHERE ${where.join(' AND ')}`;
};

// OFFSET keeps the planner from walking the outer order in the hope of an early match.
const gatherSql = (request: PageRequest, part: PartSql, scope: FilterScope): string =>
  `FROM (${gatheredSql(request, part, scope)} OFFSET 0) r`;

/** The statement's FROM and WHERE. The source is called `r`, whether it is the table or a part of it read in order. */
export const sourceSql = (
  request: PageRequest,
  strategy: Strategy,
  part: PartSql,
  bound: Bound,
  scope: FilterScope,
): string => {
  switch (strategy.kind) {
    case 'gather':
      return gatherSql(request, part, scope);
    case 'probe':
      return probeSql(request, part, strategy.records, scope);
    default:
      return directSql(request, part, bound, scope);
  }
};

/** Counts records on an index that goes on in this order, no further than to a bound. */
const countSql = (
  request: PageRequest,
  where: readonly string[],
  { branches, order }: Counting,
  bound: string,
  scope: FilterScope,
): string => {
  const { parameters } = scope;
  const place = ['r.organization_id = $1', ...pipelineSql(request, scope), ...where];
  const all = [...(branches === null ? [] : [branches]), ...byPipeline(request)];
  const counted = mergedSql(tables[request.objectType], place, all, order, limitTo(bound), parameters);
  return `SELECT count(*) FROM (SELECT FROM ${counted} LIMIT ${bound}) few`;
};

/** A statement that tells whether few records can match: whether one of the conditions alone holds for few. Null when none tells. */
export const fewSql = (request: PageRequest, part: PartSql, records: number, scope: FilterScope): string | null => {
  const bound = `${scope.parameters.add(records)}::int`;
  const alternatives = conditionsOf(request, part.keys).flatMap((condition) => {
    const { counting } = condition;
    if (counting === null) return [];
    const where = counting.branches === null ? [condition.sql(scope)] : [];
    return [`(${countSql(request, where, counting, `${bound} + 1`, scope)}) <= ${bound}`];
  });
  return alternatives.length === 0 ? null : `SELECT ${alternatives.join(' OR ')} AS "isFew"`;
};

/** A statement that counts the records of the pipeline, or of all, no further than to a bound. */
export const sizeSql = (request: PageRequest, records: number, scope: FilterScope): string => {
  const bound = `${scope.parameters.add(records)}::int`;
  return `SELECT (${countSql(request, [], { branches: null, ...byCreation }, bound, scope)})::int AS size`;
};
