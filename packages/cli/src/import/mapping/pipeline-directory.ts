import type { CrmClient } from '@crm/client';
import { fail, ok, type Result } from '@crm/domain';

/** A pipeline that rows can refer to. */
export interface KnownPipeline {
  readonly id: string;
  /** The id of a stage by its label. */
  readonly stageId: (label: string) => Result<string>;
}

/** The pipelines of an organization by name and id. */
export interface PipelineDirectory {
  /** Finds the pipeline that a row names, or the one that the command line gives for all rows. */
  readonly find: (named: string | undefined) => Result<KnownPipeline>;
}

/** Reads all pipelines and stages. `forAll` is the id or name from the command line. */
export const loadPipelines = async (client: CrmClient, forAll: string | undefined): Promise<PipelineDirectory> => {
  const byName = new Map<string, Result<KnownPipeline>>();
  for await (const { pipeline_id: id, name } of client.pipelines.list()) {
    const pipeline = ok({ id, stageId: await loadStages(client, id) });
    byName.set(id, pipeline);
    byName.set(
      name,
      byName.has(name) ? fail(`there are several pipelines named "${name}"; give --pipeline`) : pipeline,
    );
  }
  return {
    find: (named) => {
      const wanted = forAll ?? named;
      if (wanted === undefined) return fail('names no pipeline; give --pipeline');
      return byName.get(wanted) ?? byName.get(wanted.toLowerCase()) ?? fail(`there is no pipeline "${wanted}"`);
    },
  };
};

const loadStages = async (client: CrmClient, pipelineId: string): Promise<KnownPipeline['stageId']> => {
  const stages = new Map<string, string>();
  const labels: string[] = [];
  for await (const { label, stage_id: id } of client.pipelines.stages(pipelineId)) {
    stages.set(label.trim().toLowerCase(), id);
    labels.push(label);
  }
  return (label) => {
    const id = stages.get(label.normalize('NFC').trim().toLowerCase());
    return id === undefined ? fail(`there is no stage "${label}"; the stages are: ${labels.join(', ')}`) : ok(id);
  };
};
