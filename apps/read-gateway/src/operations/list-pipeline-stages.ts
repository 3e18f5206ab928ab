import { listPipelineStages as contract } from '@crm/contract';
import { type Stage, stageWire } from '@crm/db';
import { ApiError } from '@crm/domain';
import { defineOperation } from '@crm/http';
import { pageOfEntries, type RankedEntry } from '../setup-page.js';
import type { Context } from '../context.js';

const toEntry = (stage: Stage): RankedEntry => ({ rank: stage.position, name: stage.id, wire: stageWire(stage) });

/** `GET /v1/pipelines/{id}/stages`: the stages of a pipeline, in order. */
export const listPipelineStages = defineOperation<Context, typeof contract>(
  contract,
  (context, { caller, params, query }) =>
    context.setups.use(caller.organizationId, async (setup) => {
      const pipeline = setup.findPipeline(params.id);
      if (pipeline === undefined) throw new ApiError('not_found');
      const binding = { organizationId: setup.organizationId, operation: contract.id, pipelineId: pipeline.id };
      return pageOfEntries(context, pipeline.stages.map(toEntry), { collection: 'stages', query, binding });
    }),
);
