import type { Queries } from '../database.js';
import { instantText } from './order.js';
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

/** The stays of a period by stage. */
export interface StageSummaryRows {
  readonly rows: readonly StageSummaryRow[];
  /** The stays since then are complete: RFC 3339, UTC; null without opportunities. */
  readonly completeFrom: string | null;
}

/** Without stays there is one row, which has no stage. */
interface Row extends Omit<StageSummaryRow, 'stageId'>, Record<string, unknown> {
  readonly stageId: string | null;
  readonly completeFrom: string | null;
}

/**
 * Reads the stays of a period by stage, and where they went. Both tables are read from an index only:
 *
 *     SELECT v.stage_id, count(*), percentile_cont(ARRAY[0.5, 0.9]) WITHIN GROUP (ORDER BY extract(epoch FROM v.left_at - v.entered_at)::float8)
 *       FROM stage_visits v WHERE v.organization_id = $1 AND v.stage_id = ANY (…) AND v.entered_at >= … GROUP BY v.stage_id
 *
 * The moves are counted apart, so that each length is sorted once.
 */
export const summarizeStageVisits = async (
  database: Queries,
  { organizationId, pipelineId, stageIds, from, to }: StageSummaryRequest,
): Promise<StageSummaryRows> => {
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
  const ended = `v.organization_id = $1 AND v.stage_id = ${stages}${within('v.entered_at')}`;
  const statement = parameters.statement(`
    SELECT r.*, (SELECT ${instantText('min(o.created_at)')} FROM opportunities o
                  WHERE o.organization_id = $1 AND o.pipeline_id = ${pipeline}) AS "completeFrom"
      FROM (SELECT) one LEFT JOIN (
    SELECT t.stage_id AS "stageId", false AS "isMove", NULL::uuid AS "nextStageId", t.ended, 0::float8 AS current, t.shares[1] AS median, t.shares[2] AS p90
      FROM (SELECT v.stage_id, count(*)::float8 AS ended, percentile_cont(ARRAY[0.5, 0.9]) WITHIN GROUP (ORDER BY ${seconds}) AS shares
              FROM stage_visits v WHERE ${ended} GROUP BY v.stage_id) t
     UNION ALL
    SELECT v.stage_id, true, v.next_stage_id, count(*)::float8, 0, NULL, NULL
      FROM stage_visits v WHERE ${ended} GROUP BY v.stage_id, v.next_stage_id
     UNION ALL
    SELECT o.stage_id, false, NULL, 0, count(*)::float8, NULL, NULL
      FROM opportunities o
     WHERE o.organization_id = $1 AND o.pipeline_id = ${pipeline} AND o.stage_id = ${stages}
           AND o.stage_entered_at IS NOT NULL${within('o.stage_entered_at')}
     GROUP BY o.stage_id) r ON true`);
  const found = await database.query<Row>(organizationId, statement);
  const rows = found.flatMap(({ stageId, ...row }) => (stageId === null ? [] : [{ ...row, stageId }]));
  return { rows, completeFrom: found[0]?.completeFrom ?? null };
};
