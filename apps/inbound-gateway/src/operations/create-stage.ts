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
    changes: (catalog) => {
      const pipeline = orNotFound(catalog.findPipeline(params.id));
      return [createStageChange(id, pipeline.id, readStage(body), body.position)];
    },
    answer: (catalog) => ({ message: 'Stage added', data: { stage: stageWire(orNotFound(catalog.findStage(id))) } }),
  });
});
