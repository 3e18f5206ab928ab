import { tables } from '../fields/record-sql.js';
import { conditionsOf, type Counting, creationOrder } from '../filter/conditions.js';
import { type PartSql } from '../order/parts.js';
import type { PageRequest } from '../page-request.js';
import type { SqlScope } from '../parameters.js';
import { mergedSql } from './branches.js';
import { pipelineBranches } from './merge-pipelines.js';

/** Counts records up to a limit. The order of `counting` makes PostgreSQL use the index with that order. */
const countSql = (
  request: PageRequest,
  where: readonly string[],
  { branches, order }: Counting,
  limit: number,
  { parameters }: SqlScope,
): string => {
  const { objectType, pipelineId } = request;
  const pipeline = pipelineId === null ? [] : [`r.pipeline_id = ${parameters.add(pipelineId)}::uuid`];
  const read = {
    ...{ table: tables[objectType], where: ['r.organization_id = $1', ...pipeline, ...where] },
    ...{ order, limit },
  };
  const all = [...(branches === null ? [] : [branches]), ...pipelineBranches(request)];
  return `SELECT count(*) FROM (SELECT FROM ${mergedSql(read, all, parameters)} LIMIT ${limit}) few`;
};

/**
 * A statement that returns whether at most `records` records match, as `"areFew"`. It is true if any condition alone has that few
 * matches. Each count reads a few pages of the condition's own index.
 */
export const fewMatchesSql = (request: PageRequest, part: PartSql, records: number, scope: SqlScope): string => {
  const alternatives = conditionsOf(request, part.keys).flatMap((condition) => {
    const { counting } = condition;
    if (counting === null) return [];
    const where = counting.branches === null ? [condition.sql(scope)] : [];
    return [`(${countSql(request, where, counting, records + 1, scope)}) <= ${records}`];
  });
  if (alternatives.length === 0) throw new Error('No condition can be counted');
  return `SELECT /* count-matches */ ${alternatives.join(' OR ')} AS "areFew"`;
};

/** A statement that returns the number of records in the pipeline, or in all pipelines, up to a limit, as `size`. */
export const pipelineSizeSql = (request: PageRequest, records: number, scope: SqlScope): string => {
  const count = countSql(request, [], { branches: null, order: creationOrder }, records, scope);
  return `SELECT /* count-pipeline */ (${count})::int AS size`;
};
