import type { Outcome } from './rules.js';
import type { ModelState } from './state.js';

/** `PATCH stages/{id}` with a label */
export const renameStage = (state: ModelState, index: number, label: string): Outcome => {
  const stage = state.stageAt(index);
  if (state.stages.some((other) => other.label === label && other !== stage)) return 409;
  stage.label = label;
  return 'updated';
};

/** `PATCH stages/{id}` with `is_active: false` and the stage for its deals */
export const archiveStage = (state: ModelState, index: number, to: number | null): Outcome => {
  const [stage, target] = [state.stageAt(index), to === null ? null : state.stageAt(to)];
  if (target === stage || target?.isActive === false) return 400;
  const moved = state.deals.filter((deal) => deal.stage === stage);
  if (moved.length > 0 && target === null) return 409;
  if (!state.stages.some((other) => other.isActive && other !== stage)) return stage.isActive ? 409 : 'updated';
  for (const deal of moved) {
    deal.stage = target ?? stage;
    deal.version += 1;
  }
  stage.isActive = false;
  stage.isDefault = false;
  return 'updated';
};

/** `PATCH stages/{id}` with `is_active: true` */
export const activateStage = (state: ModelState, index: number): Outcome => {
  state.stageAt(index).isActive = true;
  return 'updated';
};

/** `PATCH stages/{id}` with `is_default: true` */
export const makeDefaultStage = (state: ModelState, index: number): Outcome => {
  if (!state.stageAt(index).isActive) return 400;
  for (const stage of state.stages) stage.isDefault = stage === state.stageAt(index);
  return 'updated';
};

/** `PATCH pipelines/{id}` with `is_active` */
export const activatePipeline = (state: ModelState, isActive: boolean): Outcome => {
  state.isPipelineActive = isActive;
  return 'updated';
};

/** `PATCH stages/{id}` with an outcome */
export const setOutcome = (state: ModelState, index: number, outcome: string): Outcome => {
  state.stageAt(index).outcome = outcome;
  return 'updated';
};
