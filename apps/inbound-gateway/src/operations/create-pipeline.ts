import { randomUUID } from 'node:crypto';
import { createPipeline as contract } from '@crm/contract';
import { createPipelineChanges, pipelineWire, stageWire } from '@crm/db';
import { defineOperation } from '@crm/http';
import { orNotFound, runSetupChange } from '../change-setup.js';
import type { Context } from '../context.js';
import { readLabels, readName, readStage } from '../input/read-setup.js';

/** `POST /v1/inbound/pipelines` */
export const createPipeline = defineOperation<Context, typeof contract>(contract, (context, { caller, body }) => {
  const id = randomUUID();
  return runSetupChange(context, caller, {
    changes: () => {
      const stages = readLabels(body.stages.map((stage, index) => readStage(stage, `stages[${index}].`)));
      return createPipelineChanges(id, { name: readName(body.name), position: body.position }, stages);
    },
    answer: (setup) => {
      const pipeline = orNotFound(setup.findPipeline(id));
      const data = { pipeline: pipelineWire(pipeline), stages: pipeline.stages.map(stageWire) };
      return { message: 'Pipeline created', data };
    },
  });
});
