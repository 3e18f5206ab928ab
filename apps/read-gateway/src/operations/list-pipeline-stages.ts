import { listPipelineStages as contract } from '@crm/contract';
import type { Stage } from '@crm/db';
import { ApiError } from '@crm/domain';
import { defineOperation } from '@crm/http';
import { pageOfEntries, type RankedEntry } from '../catalog-page.js';
import type { Context } from '../context.js';

const toEntry = (stage: Stage): RankedEntry => ({
  rank: stage.position,
  name: stage.id,
  wire: {
    stage_id: stage.id,
    pipeline_id: stage.pipelineId,
    label: stage.label,
    stage_order: stage.position,
    color: stage.color,
    is_active: stage.isActive,
    is_default: stage.isDefault,
    probability: stage.probability,
  },
});

/** `GET /v1/pipelines/{id}/stages`: the stages of a pipeline, in their order. */
export const listPipelineStages = defineOperation<Context, typeof contract>(
  contract,
  (context, { caller, params, query }) =>
    context.catalogs.use(caller.organizationId, async (catalog) => {
      const pipeline = catalog.findPipeline(params.id);
      if (pipeline === undefined) throw new ApiError('not_found');
      const binding = { organizationId: catalog.organizationId, operation: contract.id, pipelineId: pipeline.id };
      return pageOfEntries(context, pipeline.stages.map(toEntry), { collection: 'stages', query, binding });
    }),
);
