import { type StageSummaryRow, summarizeStageVisits } from '@crm/db';
import { expect } from '@jest/globals';
import type { VisitRows } from './folded-visits.js';
import type { TestGateway } from './gateway.js';

interface Stay {
  readonly stage: string;
  readonly enteredAt: string;
  readonly leftAt: string;
  readonly next: string;
}

const staysOf = (rows: VisitRows): readonly Stay[] =>
  [...rows.values()].flat().map((row) => {
    const [stage = '', enteredAt = '', leftAt = '', next = ''] = row.split(' ');
    return { stage, enteredAt, leftAt, next };
  });

/** The figures as lines, without the order of the database. */
const linesOf = (rows: readonly StageSummaryRow[]): readonly string[] =>
  rows
    .map(({ stageId, isMove, nextStageId, ended, current, median, p90 }) =>
      [stageId, isMove, nextStageId, ended, current, median?.toFixed(3), p90?.toFixed(3)].join(' '),
    )
    .sort();

const shareOf = (sorted: readonly number[], share: number): number => {
  const place = share * (sorted.length - 1);
  const low = sorted[Math.floor(place)] ?? 0;
  return low + ((sorted[Math.ceil(place)] ?? 0) - low) * (place % 1);
};

/** The rows of one stage, computed from its stays. */
const rowsOfStage = (stageId: string, stays: readonly Stay[]): readonly StageSummaryRow[] => {
  const ended = stays.filter(({ leftAt }) => leftAt !== '');
  const current = stays.length - ended.length;
  const seconds = ended.map((stay) => (Date.parse(stay.leftAt) - Date.parse(stay.enteredAt)) / 1_000);
  seconds.sort((one, other) => one - other);
  const none = { stageId, isMove: false, nextStageId: null, ended: 0, current: 0, median: null, p90: null };
  const times = { ended: ended.length, median: shareOf(seconds, 0.5), p90: shareOf(seconds, 0.9) };
  const moves = [...new Set(ended.map(({ next }) => next))].map((next) => {
    const count = ended.filter((stay) => stay.next === next).length;
    return { ...none, isMove: true, nextStageId: next === 'null' ? null : next, ended: count };
  });
  return [
    ...(ended.length > 0 ? [{ ...none, ...times }] : []),
    ...moves,
    ...(current > 0 ? [{ ...none, current }] : []),
  ];
};

/** Checks that the summary of stages counts the stays that the change log has, for all times and for a part of them. */
export const expectFoldedSummary = async ({ database, organization }: TestGateway, rows: VisitRows): Promise<void> => {
  const stays = staysOf(rows);
  if (stays.every(({ leftAt }) => leftAt === '')) return;
  const times = stays.map(({ enteredAt }) => enteredAt).sort();
  const [from = '', to = ''] = [times[Math.floor(times.length / 3)], times.at(-1)];
  const pipelines = await database.pool.query<{ id: string; stages: string[] }>(
    'SELECT s.pipeline_id AS id, array_agg(s.id::text) AS stages FROM stages s WHERE s.organization_id = $1 GROUP BY 1',
    [organization.id],
  );
  for (const { id: pipelineId, stages: stageIds } of pipelines.rows) {
    const request = { organizationId: organization.id, pipelineId, stageIds };
    const expected = (some: readonly Stay[]) =>
      linesOf(
        stageIds.flatMap((id) =>
          rowsOfStage(
            id,
            some.filter(({ stage }) => stage === id),
          ),
        ),
      );
    const { rows: all } = await summarizeStageVisits(database, { ...request, from: null, to: null });
    expect(linesOf(all)).toEqual(expected(stays));
    const { rows: part } = await summarizeStageVisits(database, {
      ...request,
      from: Date.parse(from),
      to: Date.parse(to),
    });
    expect(linesOf(part)).toEqual(expected(stays.filter((stay) => stay.enteredAt >= from && stay.enteredAt < to)));
  }
};
