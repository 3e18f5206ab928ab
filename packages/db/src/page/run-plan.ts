import type { Queries } from '../database.js';
import { pageKeys } from './order/label-ranking.js';
import { type Part, partSql } from './order/parts.js';
import type { PageRequest } from './page-request.js';
import { Parameters, scopeOf } from './parameters.js';
import { type Check, type PartPlan, orderedReadFrom } from './plan.js';
import { fewMatchesSql, pipelineSizeSql } from './plans/counts.js';
import { type PageRow, readRows, type RowBounds } from './read-rows.js';

const hasFewMatches = async (database: Queries, request: PageRequest, part: Part, most: number): Promise<boolean> => {
  const parameters = new Parameters();
  const own = partSql(part, pageKeys(request, new Parameters()));
  const text = fewMatchesSql(request, own, most, scopeOf(request, parameters));
  const statement = { text, values: parameters.values };
  const [row] = await database.query<{ areFew: boolean }>(request.setup.organizationId, statement);
  return row?.areFew === true;
};

/** The number of records in the pipeline, or in all pipelines, counted up to {@link orderedReadFrom}. */
const pipelineSize = async (database: Queries, request: PageRequest): Promise<number> => {
  const parameters = new Parameters();
  const text = pipelineSizeSql(request, orderedReadFrom, scopeOf(request, parameters));
  const statement = { text, values: parameters.values };
  const [row] = await database.query<{ size: number }>(request.setup.organizationId, statement);
  return row?.size ?? orderedReadFrom;
};

/** Reads the records of one part of a page, up to a limit, by running the steps of its plan in order. */
export const runPlan = async (
  database: Queries,
  request: PageRequest,
  { part, steps }: PartPlan,
  bounds: RowBounds,
): Promise<PageRow[]> => {
  let size: number | undefined;
  const isMet = async (check: Check): Promise<boolean> => {
    if ('matchesAtMost' in check) return hasFewMatches(database, request, part, check.matchesAtMost);
    size ??= await pipelineSize(database, request);
    return size >= check.recordsFrom && (check.recordsBelow === undefined || size < check.recordsBelow);
  };
  let rows: PageRow[] = [];
  for (const step of steps) {
    if (step.onlyIf !== undefined && !(await isMet(step.onlyIf))) continue;
    rows = await readRows(database, request, step, part, bounds);
    if (step.read !== 'scan-next' || rows.length === bounds.rows) break;
  }
  return rows;
};
