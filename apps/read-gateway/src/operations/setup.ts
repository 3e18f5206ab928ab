import {
  getKey as keyContract,
  listMembers as membersContract,
  listPipelines as pipelinesContract,
  listPipelineStages as stagesContract,
} from '@crm/contract';
import { memberWire, pipelineWire, type Stage, stageWire } from '@crm/db';
import { ApiError } from '@crm/domain';
import type { Operation } from '@crm/http';
import { type Context, operation } from '../context.js';
import { pageOfEntries, type RankedEntry } from '../setup-page.js';

/** `GET /v1/pipelines`: the organization's pipelines, in order. */
const listPipelines = operation(pipelinesContract, (context, { caller, query }) =>
  context.setups.use(caller.organizationId, async ({ organizationId, pipelines }) => {
    const entries = pipelines.map((pipeline) => ({
      rank: pipeline.position,
      name: pipeline.id,
      wire: pipelineWire(pipeline),
    }));
    const binding = { organizationId, operation: pipelinesContract.id };
    return pageOfEntries(context, entries, { collection: 'pipelines', query, binding });
  }),
);

const toEntry = (stage: Stage): RankedEntry => ({ rank: stage.position, name: stage.id, wire: stageWire(stage) });

/** `GET /v1/pipelines/{id}/stages`: the stages of a pipeline, in order. */
const listPipelineStages = operation(stagesContract, (context, { caller, params, query }) =>
  context.setups.use(caller.organizationId, async (setup) => {
    const pipeline = setup.findPipeline(params.id);
    if (pipeline === undefined) throw new ApiError('not_found');
    const binding = { organizationId: setup.organizationId, operation: stagesContract.id, pipelineId: pipeline.id };
    return pageOfEntries(context, pipeline.stages.map(toEntry), { collection: 'stages', query, binding });
  }),
);

/** `GET /v1/members`: the members of the organization, sorted by email. */
const listMembers = operation(membersContract, (context, { caller, query }) =>
  context.setups.use(caller.organizationId, async ({ organizationId, members }) => {
    const entries = members.map((member) => ({ rank: 0, name: member.email, wire: memberWire(member) }));
    const binding = { organizationId, operation: membersContract.id };
    return pageOfEntries(context, entries, { collection: 'members', query, binding });
  }),
);

/** `GET /v1/key`: what the key of the request allows. */
const getKey = operation(keyContract, async (_context, { caller }) => ({
  message: 'Found the key',
  data: {
    key_id: caller.apiKeyId,
    organization_id: caller.organizationId,
    allowed_operations: [...caller.allowedOperations],
  },
}));

/** The reads of the key and of the setup. The fields are listed with their objects. */
export const setupOperations: readonly Operation<Context>[] = [getKey, listPipelines, listPipelineStages, listMembers];
