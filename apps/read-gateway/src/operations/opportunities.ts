import {
  listOpportunityStages as stagesContract,
  opportunityReads,
  summarizeStages as summaryContract,
} from '@crm/contract';
import { findMergedInto, type Pipeline, readStageVisits, type StageSummaryRow, summarizeStageVisits } from '@crm/db';
import { ApiError, ErrorCollector, unknownPipeline, valueReaders } from '@crm/domain';
import type { Operation } from '@crm/http';
import { type Context, operation } from '../context.js';
import { pageJson, readByCursor, readOrNarrow } from '../page.js';
import { objectReads } from './object-reads.js';

/** `GET /v1/opportunities/{id}/stages` */
const listStages = operation(stagesContract, async (context, { caller: { organizationId }, params, query }) => {
  const id = params.id.toLowerCase();
  const binding = { organizationId, operation: stagesContract.id, recordId: id };
  const { page, nextCursor, limit } = await readByCursor(context, query, binding, async (position, rows) => {
    const found = await readStageVisits(context.database, { organizationId, id, position, limit: rows });
    if (found !== null) return found;
    const mergedInto = await findMergedInto(context.database, organizationId, 'opportunity', id);
    throw new ApiError('not_found', mergedInto === null ? {} : { extra: { merged_into: mergedInto } });
  });
  const more = [`,"complete_from":"${page.completeFrom}"`];
  return { message: 'Found stages', data: pageJson('stages', page.records, nextCursor, limit, more) };
});

/** The figures of a stage. @param labels - of all stages of the organization, by id */
const figuresOf = (
  { id, label, outcome }: Pipeline['stages'][number],
  rows: readonly StageSummaryRow[],
  labels: ReadonlyMap<string, string>,
) => {
  const own = rows.filter(({ stageId }) => stageId === id);
  const whole = own.filter(({ isMove }) => !isMove);
  const left = whole.reduce((sum, { ended }) => sum + ended, 0);
  const entered = whole.reduce((sum, { current }) => sum + current, left);
  const [times] = whole.filter(({ ended }) => ended > 0);
  return {
    ...{ stage_id: id, stage_name: label, outcome, entered, left },
    ...{ median_seconds: times?.median ?? null, p90_seconds: times?.p90 ?? null },
    moves: own
      .filter(({ isMove }) => isMove)
      .map(({ nextStageId, ended }) => ({
        stage_id: nextStageId,
        stage_name: labels.get(nextStageId ?? '') ?? null,
        ...{ count: ended, rate: ended / entered },
      }))
      .sort((one, other) => other.count - one.count || ((one.stage_id ?? '') < (other.stage_id ?? '') ? -1 : 1)),
  };
};

/** A bound of the period as Unix milliseconds; null if it was not sent. */
const readBound = (value: string | number | null | undefined, path: string, errors: ErrorCollector): number | null =>
  (value ?? null) === null ? null : (errors.read(path, valueReaders.dealDate(value as never)) ?? null);

/** `POST /v1/opportunities/stage-summary` */
const summarizeStages = operation(summaryContract, (context, { caller: { organizationId }, body }) =>
  context.setups.use(organizationId, async (setup) => {
    const pipeline = setup.findPipeline(body.pipeline_id);
    if (pipeline === undefined) throw unknownPipeline();
    const errors = new ErrorCollector();
    const [from, to] = [readBound(body.from, 'from', errors), readBound(body.to, 'to', errors)];
    if (from !== null && to !== null && from >= to) errors.add('to', 'must be after from');
    errors.throwIfAny();
    const stageIds = pipeline.stages.map(({ id }) => id);
    const request = { organizationId, pipelineId: pipeline.id, stageIds, from, to };
    const narrower = { from: 'took too long: choose a shorter period' };
    const { rows, completeFrom } = await readOrNarrow(
      () => summarizeStageVisits(context.database, request),
      narrower,
      'summary',
    );
    const stages = pipeline.stages.map((stage) => figuresOf(stage, rows, setup.stageLabels));
    return { message: 'Summarized the stages', data: { stages, complete_from: completeFrom } };
  }),
);

/** The reads of opportunities. */
export const opportunityOperations: readonly Operation<Context>[] = [
  ...objectReads('opportunity', opportunityReads),
  listStages,
  summarizeStages,
];
