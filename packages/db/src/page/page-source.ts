import { byPipeline, filterBranches, isMergeable, mergedSql, pipelineIdsSql } from './branches.js';
import { type Condition, conditionsOf, type Counting } from './conditions.js';
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
  return isMergeable(branches) ? { branches, rest: byValue.rest } : null;
};

/** Whether a request's filter is one condition that is read value by value. */
export const isReadByValue = (request: PageRequest, keys: readonly KeySql[]): boolean =>
  valueBranchesOf(request, keys)?.rest.length === 0;

const directSql = (request: PageRequest, part: PartSql, limit: number, scope: FilterScope): string => {
  const { parameters } = scope;
  const table = tables[request.objectType];
  const byValue = valueBranchesOf(request, part.keys);
  const branches = byValue?.branches ?? byPipeline(request);
  // What is read value by value is a condition of its branch.
  const conditions = conditionsOf(byValue === null ? request : { ...request, filters: null }, part.keys);
  const where = [
    ...['r.organization_id = $1', ...part.conditions, ...pipelineSql(request, scope)],
    ...conditions.map((condition) => condition.sql(scope)),
    ...(byValue?.rest ?? []).map((node) => filterSql(scope, node)),
  ];
  if (branches.length === 0) return `FROM ${table} r WHERE ${where.join(' AND ')}`;
  return `FROM ${mergedSql(table, where, branches, orderBySql(part.keys), parameters.add(limit), parameters)}`;
};

const probeSql = (request: PageRequest, part: PartSql, records: number, scope: FilterScope): string => {
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
  const merged = mergedSql(tables[request.objectType], where, branches, order, count, parameters);
  // Cut again where branches were merged: behind the end of one branch nothing is known of what another still has.
  const probed = branches.length === 0 ? merged : `(SELECT r.* FROM ${merged} ORDER BY ${order} LIMIT ${count}) r`;
  const others = conditions.filter((condition) => condition !== followed).map((condition) => condition.sql(scope));
  return `FROM ${probed} WHERE ${['true', ...others].join(' AND ')}`;
};

const gatherSql = (request: PageRequest, part: PartSql, scope: FilterScope): string => {
  const conditions = conditionsOf(request, part.keys);
  const where = [
    ...['r.organization_id = $1', ...part.conditions, ...pipelineSql(request, scope)],
    ...(conditions.some(({ counting }) => counting !== null) ? anyPipelineSql(request) : []),
    ...conditions.map((condition) => condition.sql(scope)),
  ];
  // OFFSET keeps the planner from walking the outer order in the hope of an early match.
  return `FROM (SELECT r.* FROM ${tables[request.objectType]} r WHERE ${where.join(' AND ')} OFFSET 0) r`;
};

/** The statement's FROM and WHERE. The source is called `r`, whether it is the table or a part of it read in order. */
export const sourceSql = (
  request: PageRequest,
  strategy: Strategy,
  part: PartSql,
  limit: number,
  scope: FilterScope,
): string => {
  switch (strategy.kind) {
    case 'gather':
      return gatherSql(request, part, scope);
    case 'probe':
      return probeSql(request, part, strategy.records, scope);
    default:
      return directSql(request, part, limit, scope);
  }
};

/** Whether a condition alone holds for at most so many records: they are counted on its own index, and no further. */
const isFewSql = (
  request: PageRequest,
  condition: Condition,
  counting: Counting,
  bound: string,
  scope: FilterScope,
): string => {
  const { parameters } = scope;
  const where = ['r.organization_id = $1', ...pipelineSql(request, scope)];
  if (counting.branches === null) where.push(condition.sql(scope));
  const branches = [...(counting.branches === null ? [] : [counting.branches]), ...byPipeline(request)];
  const limit = `${bound} + 1`;
  const counted = mergedSql(tables[request.objectType], where, branches, counting.order, limit, parameters);
  return `(SELECT count(*) FROM (SELECT FROM ${counted} LIMIT ${limit}) few) <= ${bound}`;
};

/** A statement that tells whether few records can match: whether one of the conditions alone holds for few. Null when none tells. */
export const fewSql = (request: PageRequest, part: PartSql, records: number, scope: FilterScope): string | null => {
  const bound = `${scope.parameters.add(records)}::int`;
  const alternatives = conditionsOf(request, part.keys).flatMap((condition) =>
    condition.counting === null ? [] : [isFewSql(request, condition, condition.counting, bound, scope)],
  );
  return alternatives.length === 0 ? null : `SELECT ${alternatives.join(' OR ')} AS "isFew"`;
};
