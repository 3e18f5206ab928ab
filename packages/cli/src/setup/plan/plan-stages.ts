import type { Stage } from '@crm/client';
import { comparableName } from '@crm/domain';

import type { KeyPath, YamlFile } from '../../yaml-file.js';
import type { PipelineWithStages } from '../lookup.js';
import type { FilePipeline, FileStage } from '../setup-file.js';
import { moveAll } from '../move-all.js';
import { matchEntries } from './match-entries.js';
import { type ListPlan, planArchives, planChanges, planPlaces } from './plan-list.js';
import { type PlanStep, restoredIf, type StoredSetup, type Values, withoutUndefined } from './plan-step.js';
import type { SetupSize } from './setup-size.js';

/** A stage that the plan archives, which must have no opportunities. */
export interface StageArchive {
  readonly path: KeyPath;
  readonly pipelineId: string;
  readonly stageId: string;
}

interface StagesPlan {
  readonly steps: readonly PlanStep[];
  readonly archives: readonly StageArchive[];
  /** See `ListPlan`. The step that creates the pipeline adds the ids of its stages. */
  readonly ids: string[];
}

/** The values of a stage as the API names them. */
export const stageBody = ({ label, color, probability, outcome, default: isDefault }: FileStage) =>
  withoutUndefined({ label, color, probability, outcome, is_default: isDefault });

/** The ids of the stages of a new pipeline, in the order of the file. */
export const createdStages = (entries: readonly FileStage[], created: readonly Stage[]): readonly string[] =>
  entries.map(({ label }) => created.find((stage) => stage.label === label)?.stage_id ?? '');

interface Work {
  readonly source: YamlFile;
  readonly path: KeyPath;
  /** Undefined for a pipeline that the plan creates with its stages. */
  readonly pipeline: PipelineWithStages | undefined;
  readonly entry: FilePipeline;
  readonly size: SetupSize;
  readonly inUse: StoredSetup['inUse'];
}

/** Plans the changes of the stages of a pipeline. */
export const planStages = ({ source, path, pipeline, entry, size, inUse }: Work): StagesPlan => {
  const entries = entry.stages ?? [];
  const stored = pipeline?.stages ?? [];
  const pipelineName = pipeline?.name ?? entry.name;
  const objects = stored.map(({ stage_id: id, label }) => ({ id, name: label }));
  const names = entries.map(({ label, was }) => ({ name: label, was }));
  const list: ListPlan<FileStage, Stage> = {
    entries,
    stored,
    found: matchEntries(names, objects, { source, path, key: 'label', noun: 'stage' }),
    ids: objects.map(({ id }) => id),
    nameKey: 'label',
    titleOf: ({ label }) => `the stage ${label} of ${pipelineName}`,
    nameOf: ({ label }) => label,
    valuesOf: (stage) => ({ ...stageBody(stage), is_active: restoredIf(stage.archived) }),
    update: (client, id, body) => moveAll(() => client.pipelines.updateStage(id, body)),
  };
  size.startPipeline(stored.length);
  for (const [index, { label }] of entries.entries()) {
    const object = stored[list.found[index] ?? -1];
    size.grow([label], [object?.label]);
    if (object === undefined) size.add('stages', [...path, index, 'label']);
  }
  const states = new FinalStages(list);
  states.check(source, path, pipeline === undefined ? path.slice(0, -1) : path);
  const heirOf = ({ move_to: label }: FileStage): Values =>
    label === undefined ? {} : { move_opportunities_to: list.ids[states.keyOf(label) ?? -1] };
  const archives = planArchives(list, heirOf);
  if (pipeline === undefined) return { steps: archives, archives: [], ids: list.ids };
  const places = planPlaces(
    list,
    async (client, stage, position) => {
      const body = { ...stageBody(stage), ...(position === undefined ? {} : { position }) };
      const { data, readAfter } = await client.pipelines.createStage(pipeline.pipeline_id, body);
      return { id: data.stage.stage_id, readAfter };
    },
    ({ label }) => `add the stage ${label} to ${pipelineName}`,
  );
  const emptied = entries.flatMap(({ archived, move_to: heir }, index): readonly StageArchive[] => {
    const object = stored[list.found[index] ?? -1];
    if (archived !== true || heir !== undefined || object?.is_active !== true) return [];
    const { pipeline_id: pipelineId, stage_id: stageId } = object;
    return [{ path: [...path, index, 'archived'], pipelineId, stageId }];
  });
  const rest = planRest(list, inUse, heirOf);
  return { steps: [...planChanges(list), ...places, ...archives, ...rest], archives: emptied, ids: list.ids };
};

/** The steps that continue the moves of an earlier run: of the opportunities that are left in stages which it has archived. */
const planRest = (
  { entries, stored, found, titleOf, update }: ListPlan<FileStage, Stage>,
  inUse: ReadonlySet<string>,
  heirOf: (entry: FileStage) => Values,
): readonly PlanStep[] =>
  entries.flatMap((entry, index): readonly PlanStep[] => {
    const stage = stored[found[index] ?? -1];
    if (entry.move_to === undefined || stage?.is_active !== false || !inUse.has(stage.stage_id)) return [];
    const text = `move the opportunities that are left in ${titleOf(entry)} to ${entry.move_to}`;
    const run: PlanStep['run'] = (client) => update(client, stage.stage_id, { is_active: false, ...heirOf(entry) });
    return [{ text, run, isLast: true }];
  });

/** The stages of a pipeline after the plan. */
class FinalStages {
  /** By key of `ListPlan.ids`. */
  readonly #stages: ReadonlyMap<number, { readonly label: string; readonly isActive: boolean }>;

  constructor(private readonly list: ListPlan<FileStage, Stage>) {
    const { entries, stored, found } = list;
    const others = stored.map(({ label, is_active: isActive }, at) => [at, { label, isActive }] as const);
    const given = entries.map(({ label, archived }, index) => {
      const at = found[index] ?? -1;
      const isActive = archived === undefined ? (stored[at]?.is_active ?? true) : !archived;
      return [at < 0 ? stored.length + index : at, { label, isActive }] as const;
    });
    this.#stages = new Map([...others, ...given]);
  }

  /** The key of the stage with a label after the plan. */
  keyOf(label: string): number | undefined {
    return [...this.#stages].find(([, stage]) => comparableName(stage.label) === comparableName(label))?.[0];
  }

  /** Reports what the API would refuse. @param whole - the place of a problem of the whole list */
  check(source: YamlFile, path: KeyPath, whole: KeyPath): void {
    const { entries, stored, found } = this.list;
    for (const [index, { default: isDefault, archived, move_to: heir }] of entries.entries()) {
      const at = found[index] ?? -1;
      const key = at < 0 ? stored.length + index : at;
      if (isDefault === true && this.#stages.get(key)?.isActive === false)
        source.problem([...path, index, 'default'], 'must not be true for an archived stage');
      if (heir === undefined) continue;
      const heirKey = this.keyOf(heir);
      if (archived !== true) source.problem([...path, index, 'move_to'], 'applies only with archived: true');
      else if (heirKey === undefined) source.problem([...path, index, 'move_to'], `there is no stage ${heir}`);
      else if (heirKey === key) source.problem([...path, index, 'move_to'], 'is the stage itself');
      else if (this.#stages.get(heirKey)?.isActive === false)
        source.problem([...path, index, 'move_to'], `the stage ${heir} is archived`);
    }
    const isArchiving = entries.some(({ archived }) => archived === true);
    if (isArchiving && ![...this.#stages.values()].some(({ isActive }) => isActive))
      source.problem(whole, 'would have no stage that is not archived: a pipeline keeps at least one');
  }
}
