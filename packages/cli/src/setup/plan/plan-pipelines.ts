import type { Pipeline } from '@crm/client';
import { comparableName } from '@crm/domain';

import type { YamlFile } from '../../yaml-file.js';
import type { FilePipeline } from '../setup-file.js';
import { matchEntries } from './match-entries.js';
import { type ListPlan, planArchives, planChanges, planPlaces } from './plan-list.js';
import { createdStages, planStages, stageBody, type StageArchive } from './plan-stages.js';
import { type PlanStep, restoredIf, type StoredSetup } from './plan-step.js';
import type { SetupSize } from './setup-size.js';

/** The plan of the pipelines. */
export interface PipelinesPlan {
  readonly steps: readonly PlanStep[];
  /** The stages that the plan archives without a stage that gets their opportunities. */
  readonly archives: readonly StageArchive[];
  /** The id of a pipeline by its name after the plan, or its id; undefined if there is none. It is empty before its step has run. */
  readonly idOf: (nameOrId: string) => string | undefined;
}

/** Plans the changes of pipelines and their stages. */
export const planPipelines = (
  source: YamlFile,
  { pipelines: stored, inUse }: StoredSetup,
  entries: readonly FilePipeline[],
  size: SetupSize,
): PipelinesPlan => {
  const objects = stored.map(({ pipeline_id: id, name }) => ({ id, name }));
  const fileList = { source, path: ['pipelines'], key: 'name', noun: 'pipeline' };
  const list: ListPlan<FilePipeline, Pipeline> = {
    entries,
    stored,
    found: matchEntries(entries, objects, fileList),
    ids: objects.map(({ id }) => id),
    nameKey: 'name',
    titleOf: ({ name }) => `the pipeline ${name}`,
    nameOf: ({ name }) => name,
    valuesOf: ({ name, archived }) => ({ name, is_active: restoredIf(archived) }),
    update: (client, id, body) => client.pipelines.update(id, body),
  };
  const stagePlans = entries.map((entry, index) => {
    const path = ['pipelines', index] as const;
    const object = stored[list.found[index] ?? -1];
    size.grow([entry.name], [object?.name]);
    if (object === undefined) {
      size.add('pipelines', [...path, 'name']);
      if ((entry.stages ?? []).length === 0)
        source.problem(path, 'is not stored, so it needs stages: at least one that is not archived');
    }
    return planStages({ source, path: [...path, 'stages'], pipeline: object, entry, size, inUse });
  });
  const places = planPlaces(
    list,
    async (client, { name, stages = [] }, position) => {
      const body = { name, stages: stages.map(stageBody), ...(position === undefined ? {} : { position }) };
      const { data, readAfter } = await client.pipelines.create(body);
      const index = entries.findIndex((entry) => entry.name === name);
      stagePlans[index]?.ids.push(...createdStages(stages, data.stages));
      return { id: data.pipeline.pipeline_id, readAfter };
    },
    ({ name, stages = [] }) =>
      `create the pipeline ${name} with the stages ${stages.map(({ label }) => label).join(', ')}`,
  );
  const stages = stagePlans.flatMap(({ steps }) => steps);
  return {
    steps: [...planChanges(list), ...places, ...stages, ...planArchives(list)],
    archives: stagePlans.flatMap(({ archives }) => archives),
    idOf: (text) => {
      const comparable = comparableName(text);
      const id = list.ids.find((one) => one === text.toLowerCase());
      if (id !== undefined) return id;
      const index = entries.findIndex(({ name }) => comparableName(name) === comparable);
      const at =
        index < 0 ? stored.findIndex(({ name }) => comparableName(name) === comparable) : (list.found[index] ?? -1);
      if (index < 0) return list.found.includes(at) ? undefined : list.ids[at];
      return at < 0 ? (list.ids[stored.length + index] ?? '') : list.ids[at];
    },
  };
};
