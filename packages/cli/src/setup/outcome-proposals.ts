import { comparableName, type StageOutcome } from '@crm/domain';

import type { PipelineWithStages } from './lookup.js';
import type { SetupFile } from './setup-file.js';

/** The properties of a stage that suggest its outcome. */
interface Suggesting {
  readonly probability?: number | null | undefined;
  readonly outcome?: StageOutcome | undefined;
}

/** The outcome that the probability of an open stage suggests; null if it suggests none. No command sets it by itself. */
export const suggestedOutcome = ({ probability, outcome = 'open' }: Suggesting): 'won' | 'lost' | null => {
  if (outcome !== 'open') return null;
  return probability === 100 ? 'won' : probability === 0 ? 'lost' : null;
};

const reason = (label: string, pipeline: string, outcome: 'won' | 'lost'): string =>
  `The stage ${label} of ${pipeline} is open and has the probability ${outcome === 'won' ? 100 : 0}. If its deals are ${outcome}`;

/** The proposals for the stages of a setup file that name no outcome. */
export const proposalsOfFile = (file: SetupFile, stored: readonly PipelineWithStages[]): readonly string[] => {
  const named = (name: string, was: string | undefined) => (other: string) =>
    [name, was].some((one) => one !== undefined && comparableName(one) === comparableName(other));
  return (file.pipelines ?? []).flatMap((pipeline) => {
    const isPipeline = named(pipeline.name, pipeline.was);
    const known = stored.find(({ name, pipeline_id: id }) => isPipeline(name) || id === pipeline.was)?.stages ?? [];
    return (pipeline.stages ?? []).flatMap((stage) => {
      if (stage.outcome !== undefined || stage.archived === true) return [];
      const isStage = named(stage.label, stage.was);
      const before = known.find(({ label, stage_id: id }) => isStage(label) || id === stage.was);
      const probability = stage.probability === undefined ? before?.probability : stage.probability;
      const outcome = suggestedOutcome({ probability, outcome: before?.outcome });
      const { label } = stage;
      return outcome === null
        ? []
        : [`${reason(label, pipeline.name, outcome)}, write outcome: ${outcome} beside its label.`];
    });
  });
};

/** The proposals for the stages of an organization, with the command for each. */
export const proposalsOfPipelines = (pipelines: readonly PipelineWithStages[]): readonly string[] =>
  pipelines.flatMap(({ name, stages }) =>
    stages
      .filter((stage) => stage.is_active)
      .flatMap((stage) => {
        const outcome = suggestedOutcome(stage);
        const command = `crm api PATCH /v1/inbound/stages/${stage.stage_id} '${JSON.stringify({ outcome })}'`;
        return outcome === null ? [] : [`${reason(stage.label, name, outcome)}: ${command}`];
      }),
  );
