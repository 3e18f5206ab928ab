import { randomUUID } from 'node:crypto';
import * as contracts from '@crm/contract';
import {
  createPipelineChanges,
  createStageChange,
  deleteStageChange,
  type OpportunityMove,
  type OrganizationSetup,
  pipelineWire,
  type Stage,
  stageWire,
  updatePipelineChange,
  updateStageChange,
} from '@crm/db';
import { validationError } from '@crm/domain';
import type { Operation } from '@crm/http';
import { type Context, operation } from '../context.js';
import { orNotFound, runSetupChange } from '../setup/change-setup.js';
import { readColor, readLabels, readName, readStage } from '../setup/read-setup.js';

/** The response with a pipeline and its stages after their change. */
const pipelineAnswer = (message: string, id: string) => (setup: OrganizationSetup) => {
  const pipeline = orNotFound(setup.findPipeline(id));
  return { message, data: { pipeline: pipelineWire(pipeline), stages: pipeline.stages.map(stageWire) } };
};

/** The response with a stage after its change. */
const stageAnswer = (message: string, id: string) => (setup: OrganizationSetup) => ({
  message,
  data: { stage: stageWire(orNotFound(setup.findStage(id))) },
});

/** `POST /v1/inbound/pipelines` */
const createPipeline = operation(contracts.createPipeline, (context, request) => {
  const { body } = request;
  const id = randomUUID();
  return runSetupChange(context, request, {
    changes: () => {
      const stages = readLabels(body.stages.map((stage, index) => readStage(stage, `stages[${index}].`)));
      return createPipelineChanges(id, { name: readName(body.name), position: body.position ?? undefined }, stages);
    },
    answer: pipelineAnswer('Pipeline created', id),
  });
});

/** `PATCH /v1/inbound/pipelines/{id}` */
const updatePipeline = operation(contracts.updatePipeline, (context, request) => {
  const { params, body } = request;
  return runSetupChange(context, request, {
    changes: (setup) => {
      const { id } = orNotFound(setup.findPipeline(params.id));
      return [
        updatePipelineChange(id, { name: readName(body.name), isActive: body.is_active, position: body.position }),
      ];
    },
    answer: pipelineAnswer('Pipeline updated', params.id),
  });
});

/** `POST /v1/inbound/pipelines/{id}/stages` */
const createStage = operation(contracts.createStage, (context, request) => {
  const { params, body } = request;
  const id = randomUUID();
  return runSetupChange(context, request, {
    changes: (setup) => {
      const pipeline = orNotFound(setup.findPipeline(params.id));
      return [createStageChange(id, pipeline.id, readStage(body), body.position ?? undefined)];
    },
    answer: stageAnswer('Stage added', id),
  });
});

/** The stage to which an archived stage's opportunities move; null if the body names none. */
const readMove = (setup: OrganizationSetup, from: Stage, body: contracts.UpdateStageBody): OpportunityMove | null => {
  const path = 'move_opportunities_to';
  const wanted = body[path] ?? null;
  if (wanted === null) return null;
  if (body.is_active !== false) throw validationError({ [path]: 'is allowed only with is_active: false' });
  const target = setup.findStage(wanted);
  if (target?.pipelineId !== from.pipelineId) throw validationError({ [path]: 'is not a stage of this pipeline' });
  if (target.id === from.id) throw validationError({ [path]: 'is the stage itself' });
  if (!target.isActive) throw validationError({ [path]: 'is archived' });
  return { kind: 'stage', from, toId: target.id };
};

/** `PATCH /v1/inbound/stages/{id}` */
const updateStage = operation(contracts.updateStage, (context, request) => {
  const { params, body } = request;
  return runSetupChange(context, request, {
    changes: (setup) => {
      const stage = orNotFound(setup.findStage(params.id));
      const move = readMove(setup, stage, body);
      const label = readName(body.label, 'label');
      const change = {
        // The same label or outcome would outdate the stored records of all deals of the stage.
        label: label === stage.label ? undefined : label,
        outcome: body.outcome === stage.outcome ? undefined : body.outcome,
        color: readColor(body.color),
        probability: body.probability,
        isDefault: body.is_default,
        isActive: body.is_active,
        position: body.position,
      };
      if (move === null) return [updateStageChange(stage.id, change)];
      return { changes: [updateStageChange(stage.id, change, true)], move: { of: move, then: [] } };
    },
    answer: stageAnswer('Stage updated', params.id),
  });
});

/** `DELETE /v1/inbound/stages/{id}` */
const deleteStage = operation(contracts.deleteStage, (context, request) => {
  const { params } = request;
  return runSetupChange(context, request, {
    changes: (setup) => {
      const { id, pipelineId, label } = orNotFound(setup.findStage(params.id));
      return [deleteStageChange(id, pipelineId, label)];
    },
    answer: () => ({ message: 'Stage deleted', data: { id: params.id.toLowerCase() } }),
  });
});

/** The writes of pipelines and stages. */
export const pipelineOperations: readonly Operation<Context>[] = [
  createPipeline,
  updatePipeline,
  createStage,
  updateStage,
  deleteStage,
];
