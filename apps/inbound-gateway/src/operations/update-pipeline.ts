import { updatePipeline as contract } from '@crm/contract';
import { pipelineWire, stageWire, updatePipelineChange } from '@crm/db';
import { defineOperation } from '@crm/http';
import { orNotFound, requireChange, runSetupChange } from '../change-setup.js';
import type { Context } from '../context.js';
import { readName } from '../input/read-setup.js';

/** `PATCH /v1/inbound/pipelines/{id}` */
export const updatePipeline = defineOperation<Context, typeof contract>(contract, (context, { caller, params, body }) =>
  runSetupChange(context, caller, {
    changes: (setup) => {
      requireChange(body);
      const { id } = orNotFound(setup.findPipeline(params.id));
      return [
        updatePipelineChange(id, { name: readName(body.name), isActive: body.is_active, position: body.position }),
      ];
    },
    answer: (setup) => {
      const pipeline = orNotFound(setup.findPipeline(params.id));
      const data = { pipeline: pipelineWire(pipeline), stages: pipeline.stages.map(stageWire) };
      return { message: 'Pipeline updated', data };
    },
  }),
);
