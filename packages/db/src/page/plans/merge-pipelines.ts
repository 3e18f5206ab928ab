import { isReadByPipeline, type PageRequest } from '../page-request.js';
import { type Branches, mergedSql } from './branches.js';
import { allConditions } from './in-order.js';
import { type Reading, tableRead } from './reading.js';

/** The organization's pipelines, read by the statement itself because a cached setup may lack the newest one. */
export const pipelineIdsSql = 'SELECT p.id FROM pipelines p WHERE p.organization_id = $1';

/** One branch for each pipeline if the request is read by pipeline; otherwise no branches. */
export const pipelineBranches = (request: PageRequest): Branches[] =>
  isReadByPipeline(request)
    ? [
        {
          condition: 'r.pipeline_id = by_pipeline.value',
          from: () => `(${pipelineIdsSql}) AS by_pipeline (value)`,
          count: request.setup.pipelines.length,
        },
      ]
    : [];

/**
 * Reads one page of each pipeline in order and merges them, because the indexes of opportunities start with the pipeline.
 *
 * Example: `{"sort":"updated_at:desc"}`
 *
 * ```sql
 * SELECT r.record AS record, r.updated_at AS key_1, r.created_at AS key_2, r.id AS key_3
 *   FROM (SELECT p.id FROM pipelines p WHERE p.organization_id = $1) AS by_pipeline (value)
 *  CROSS JOIN LATERAL (
 *     SELECT r.*
 *       FROM opportunities r
 *      WHERE r.organization_id = $1 AND r.pipeline_id = by_pipeline.value
 *      ORDER BY r.updated_at DESC, r.created_at DESC, r.id DESC
 *       LIMIT 51
 * ) r
 *  ORDER BY r.updated_at DESC, r.created_at DESC, r.id DESC
 *       LIMIT 51
 * ```
 */
export const mergePipelinesSql = (reading: Reading): string => {
  const { request, scope } = reading;
  return `FROM ${mergedSql(tableRead(reading, allConditions(reading)), pipelineBranches(request), scope.parameters)}`;
};
