import type { Queries } from '../database.js';
import { Parameters } from './parameters.js';

/** The stays in the stages of a pipeline that began in a period. */
export interface StageSummaryRequest {
  readonly organizationId: string;
  readonly pipelineId: string;
  readonly stageIds: readonly string[];
  /** Unix milliseconds; null for no bound. */
  readonly from: number | null;
  /** Exclusive. */
  readonly to: number | null;
}

/** The stays in one stage, or those of them that ended with a move to one other stage. */
export interface StageSummaryRow {
  readonly stageId: string;
  /** Whether the row is of the moves to `nextStageId`; otherwise it is of the whole stage. */
  readonly isMove: boolean;
  readonly nextStageId: string | null;
  readonly ended: number;
  /** Stays that have not ended; 0 in a row of moves. */
  readonly current: number;
  /** Seconds; null without ended stays. */
  readonly median: number | null;
  readonly p90: number | null;
}

/**
 * Reads the stays of a period by stage, and where they went. Both tables are read from an index only:
 *
 *     SELECT v.stage_id, v.next_stage_id, grouping(v.next_stage_id) = 0 AS is_move, count(*), percentile_cont(0.5) …
 *       FROM stage_visits v WHERE v.organization_id = $1 AND v.stage_id = ANY (…) AND v.entered_at >= …
 *      GROUP BY GROUPING SETS ((v.stage_id), (v.stage_id, v.next_stage_id))
 */
export const summarizeStageVisits = async (
  database: Queries,
  { organizationId, pipelineId, stageIds, from, to }: StageSummaryRequest,
): Promise<readonly StageSummaryRow[]> => {
  const parameters = new Parameters();
  const stages = `ANY (${parameters.add(stageIds)}::uuid[])`;
  const pipeline = `${parameters.add(pipelineId)}::uuid`;
  const bound = (operator: string, ms: number | null) => ({
    operator,
    value: ms === null ? null : `${parameters.add(new Date(ms).toISOString())}::timestamptz`,
  });
  const bounds = [bound('>=', from), bound('<', to)];
  const within = (column: string): string =>
    bounds.map(({ operator, value }) => (value === null ? '' : ` AND ${column} ${operator} ${value}`)).join('');
  const seconds = 'extract(epoch FROM v.left_at - v.entered_at)::float8';
  const statement = parameters.statement(`
    SELECT v.stage_id AS "stageId", grouping(v.next_stage_id) = 0 AS "isMove", v.next_stage_id AS "nextStageId", count(*)::float8 AS ended,
           0::float8 AS current, percentile_cont(0.5) WITHIN GROUP (ORDER BY ${seconds}) AS median,
           percentile_cont(0.9) WITHIN GROUP (ORDER BY ${seconds}) AS p90
      FROM stage_visits v WHERE v.organization_id = $1 AND v.stage_id = ${stages}${within('v.entered_at')}
     GROUP BY GROUPING SETS ((v.stage_id), (v.stage_id, v.next_stage_id))
     UNION ALL
    SELECT o.stage_id, false, NULL, 0, count(*)::float8, NULL, NULL
      FROM opportunities o
     WHERE o.organization_id = $1 AND o.pipeline_id = ${pipeline} AND o.stage_id = ${stages}
           AND o.stage_entered_at IS NOT NULL${within('o.stage_entered_at')}
     GROUP BY o.stage_id`);
  return database.query<StageSummaryRow & Record<string, unknown>>(organizationId, statement);
};
