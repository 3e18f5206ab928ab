import { comparableName, fail, ok, type Result } from '@crm/domain';

import type { PipelineWithStages } from '../../setup/lookup.js';

/** Whether a text is an id of a pipeline or stage. */
export const isId = (text: string): boolean => /^[0-9a-f]{8}(-[0-9a-f]{4}){3}-[0-9a-f]{12}$/i.test(text);

/** Finds stages by their labels, archived ones too, so that the gateway can say that they are archived. */
export const stageFinder = (
  stages: readonly { readonly label: string; readonly stage_id: string; readonly is_active?: boolean }[],
): KnownPipeline['stageId'] => {
  const ids = new Map(stages.map(({ label, stage_id: id }) => [comparableName(label), id]));
  const active = stages.filter((stage) => stage.is_active !== false);
  const known = active.map(({ label }) => label).join(', ');
  return (label) => {
    const id = ids.get(comparableName(label)) ?? (isId(label) ? label : undefined);
    return id === undefined ? fail(`there is no stage "${label}"; the stages are: ${known}`) : ok(id);
  };
};

/** A pipeline that rows can refer to. */
export interface KnownPipeline {
  /** Undefined in a dry run without a server. */
  readonly id: string | undefined;
  /** Finds the id of a stage by its label. */
  readonly stageId: (label: string) => Result<string>;
}

/** Finds the pipeline that a row names, or the one that the command line gives for all rows. */
export type FindPipeline = (named: string | undefined) => Result<KnownPipeline>;

/** Finds pipelines and stages. `forAll` is the id or name from the command line. */
export const pipelineFinder = (stored: readonly PipelineWithStages[], forAll: string | undefined): FindPipeline => {
  const pipelines = stored.map(({ pipeline_id: id, name, stages }) => {
    return { id, name, stageId: stageFinder(stages) };
  });
  return (named) => {
    const wanted = forAll ?? named;
    if (wanted === undefined) return fail('names no pipeline; give --pipeline');
    const comparable = comparableName(wanted);
    const found =
      pipelines.find(({ id }) => id === wanted.toLowerCase()) ??
      pipelines.find(({ name }) => comparableName(name) === comparable);
    return found === undefined ? fail(`there is no pipeline "${wanted}"`) : ok(found);
  };
};
