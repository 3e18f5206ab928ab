import { tables } from '../fields/record-sql.js';
import { creationOrder } from '../filter/conditions.js';
import type { PageRequest } from '../page-request.js';
import type { SqlScope } from '../parameters.js';
import { mergedSql, type TableRead } from './branches.js';
import { pipelineBranches } from './merge-pipelines.js';
import { pipelineSql } from './reading.js';

/** The number of rows of a bounded read, such as `(SELECT … LIMIT 2001) r`, as SQL. */
export const countOfSql = (rows: string, limit: number): string =>
  `(SELECT count(*) FROM (SELECT FROM ${rows} LIMIT ${limit}) c)`;

/** The number of records in the pipeline, or in all pipelines, counted up to a limit, as SQL. */
export const pipelineSizeSql = (request: PageRequest, limit: number, scope: SqlScope): string => {
  const where = ['r.organization_id = $1', ...pipelineSql({ request, scope })];
  const read: TableRead = { table: tables[request.objectType], where, order: creationOrder, limit };
  return countOfSql(mergedSql(read, pipelineBranches(request), scope.parameters), limit);
};
