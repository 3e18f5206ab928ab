import { updateStage as contract, type UpdateStageBody } from '@crm/contract';
import { type OrganizationSetup, type OpportunityMove, type Stage, stageWire, updateStageChange } from '@crm/db';
import { Failure, validationError } from '@crm/domain';
import { defineOperation } from '@crm/http';
import { orNotFound, requireChange, runSetupChange } from '../change-setup.js';
import type { Context } from '../context.js';
import { readColor, readName } from '../input/read-setup.js';
import { moveWithin } from '../move-within.js';

/** The stage to which an archived stage's opportunities move; null if the body names none. */
const readMove = (setup: OrganizationSetup, from: Stage, body: UpdateStageBody): OpportunityMove | null => {
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

/** Refuses a label that another stage of the pipeline has. @throws Failure `key_taken` */
const requireFreeLabel = (setup: OrganizationSetup, { id, pipelineId }: Stage, label: string | undefined): void => {
  const holder = setup.findPipeline(pipelineId)?.stages.find((other) => other.label === label && other.id !== id);
  if (holder !== undefined) {
    throw new Failure({ kind: 'key_taken', object: 'stage', field: 'label', existingId: holder.id });
  }
};

/** `PATCH /v1/inbound/stages/{id}` */
export const updateStage = defineOperation<Context, typeof contract>(contract, (context, request) => {
  const { caller, params, body } = request;
  return runSetupChange(context, caller, {
    changes: async (setup) => {
      requireChange(body);
      const stage = orNotFound(setup.findStage(params.id));
      const move = readMove(setup, stage, body);
      const label = readName(body.label, 'label');
      const change = {
        // The same label would outdate the stored records of all deals of the stage.
        label: label === stage.label ? undefined : label,
        color: readColor(body.color),
        probability: body.probability,
        isDefault: body.is_default,
        isActive: body.is_active,
        position: body.position,
      };
      // The move is not undone if the change fails, so everything that can be checked is checked before the move.
      requireFreeLabel(setup, stage, change.label);
      if (move !== null) await moveWithin(context, request, move);
      return [updateStageChange(stage.id, change)];
    },
    answer: (setup) => ({
      message: 'Stage updated',
      data: { stage: stageWire(orNotFound(setup.findStage(params.id))) },
    }),
  });
});
