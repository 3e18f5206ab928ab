import { randomUUID } from 'node:crypto';
import { createStage as contract } from '@crm/contract';
import { createStageChange, stageWire } from '@crm/db';
import { defineOperation } from '@crm/http';
import { orNotFound, runSetupChange } from '../change-setup.js';
import type { Context } from '../context.js';
import { readStage } from '../input/read-setup.js';

/** `POST /v1/inbound/pipelines/{id}/stages` */
export const createStage = defineOperation<Context, typeof contract>(contract, (context, { caller, params, body }) => {
  const id = randomUUID();
  return runSetupChange(context, caller, {
    changes: (setup) => {
      const pipeline = orNotFound(setup.findPipeline(params.id));
      return [createStageChange(id, pipeline.id, readStage(body), body.position)];
    },
    answer: (setup) => ({ message: 'Stage added', data: { stage: stageWire(orNotFound(setup.findStage(id))) } }),
  });
});
