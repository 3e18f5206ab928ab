import { randomUUID } from 'node:crypto';

import {
  addMemberChange,
  type OrganizationSetup,
  createPipelineChanges,
  createStageChange,
  currencyChange,
  type Pipeline,
  type Stage,
  updateMemberChange,
  updatePipelineChange,
  updateStageChange,
} from '@crm/db';

import { makeMember } from '../administration/new-members.js';
import type { MappingSource } from '../import/mapping/mapping-source.js';
import { planFields } from './plan-fields.js';
import { describeChange, differing, isOutOfOrder, type PlanStep } from './plan-step.js';
import type { FileMember, FilePipeline, FileStage, SetupFile } from './setup-file.js';

/** The entry with this name, or else the entry with the old name. */
const findRenamed = <T>(find: (name: string) => T | undefined, name: string, was: string | undefined): T | undefined =>
  find(name) ?? (was === undefined ? undefined : find(was));

const planStages = (pipeline: Pipeline, stages: readonly FileStage[]): readonly PlanStep[] => {
  const find = (label: string): Stage | undefined => pipeline.stages.find((stage) => stage.label === label);
  const found = stages.map(({ label, was }) => findRenamed(find, label, was));
  const isMoved = isOutOfOrder(found.map((stage) => stage?.position));
  return stages.flatMap((wanted, index): readonly PlanStep[] => {
    const { label, color, probability, isDefault, archived } = wanted;
    const isActive = archived === undefined ? undefined : !archived;
    const position = isMoved ? index + 1 : undefined;
    const stage = found[index];
    if (stage === undefined) {
      const created = { label, color, probability, isDefault, isActive };
      const change = createStageChange(randomUUID(), pipeline.id, created, position);
      return [{ text: `add the stage ${label} to ${pipeline.name}`, changes: [change] }];
    }
    const values = differing({ label, color, probability, isDefault, isActive }, { ...stage });
    const isChanged = Object.keys(values).length > 0;
    // Every stage gets its position, one after the other, because each assignment moves the later stages.
    if (!isChanged && position === undefined) return [];
    const place = position === undefined || position === stage.position ? '' : `position: ${position}`;
    const text = [describeChange(values, { ...stage }), place].filter((part) => part !== '').join(', ');
    const change = updateStageChange(stage.id, { ...values, position });
    return [
      { text: text === '' ? '' : `change the stage ${stage.label} of ${pipeline.name}: ${text}`, changes: [change] },
    ];
  });
};

const planPipelines = (
  setup: OrganizationSetup,
  pipelines: readonly FilePipeline[],
  ids: Map<string, string>,
): readonly PlanStep[] => {
  const find = (name: string): Pipeline | undefined => setup.pipelines.find((pipeline) => pipeline.name === name);
  const found = pipelines.map(({ name, was }) => findRenamed(find, name, was));
  const isMoved = isOutOfOrder(found.map((pipeline) => pipeline?.position));
  return pipelines.flatMap((wanted, index): readonly PlanStep[] => {
    const { name, archived, stages } = wanted;
    const isActive = archived === undefined ? undefined : !archived;
    const position = isMoved ? index + 1 : undefined;
    const pipeline = found[index];
    const id = pipeline?.id ?? randomUUID();
    ids.set(name, id);
    if (pipeline === undefined) {
      const created = stages.map((stage) => ({
        ...stage,
        isActive: stage.archived === undefined ? undefined : !stage.archived,
      }));
      const labels = stages.map(({ label }) => label).join(', ');
      const changes = createPipelineChanges(id, { name, isActive, position }, created);
      return [{ text: `create the pipeline ${name} with the stages ${labels}`, changes }];
    }
    const values = differing({ name, isActive }, { ...pipeline });
    const isChanged = Object.keys(values).length > 0;
    const place = position === undefined || position === pipeline.position ? '' : `position: ${position}`;
    const text = [describeChange(values, { ...pipeline }), place].filter((part) => part !== '').join(', ');
    const own: readonly PlanStep[] =
      isChanged || position !== undefined
        ? [
            {
              text: text === '' ? '' : `change the pipeline ${pipeline.name}: ${text}`,
              changes: [updatePipelineChange(id, { ...values, position })],
            },
          ]
        : [];
    return [...own, ...planStages(pipeline, stages)];
  });
};

const planMembers = (setup: OrganizationSetup, members: readonly FileMember[]): readonly PlanStep[] =>
  members.flatMap(({ email, was, name, archived }): readonly PlanStep[] => {
    const isActive = archived === undefined ? undefined : !archived;
    const member = findRenamed((text) => setup.findMember(text), email, was);
    if (member === undefined) {
      const created = { ...makeMember(email, name), isActive };
      return [{ text: `add the member ${email}`, changes: [addMemberChange(randomUUID(), created)] }];
    }
    const values = differing({ email, name, isActive }, { ...member });
    if (Object.keys(values).length === 0) return [];
    const text = `change the member ${member.email}: ${describeChange(values, { ...member })}`;
    return [{ text, changes: [updateMemberChange(member.id, values)] }];
  });

/**
 * Plans the changes that set an organization up as in the file. Entries that the file does not name stay unchanged.
 * @throws CliError (78) with the line, for a value that cannot be changed
 */
export const planSetup = (source: MappingSource, file: SetupFile, setup: OrganizationSetup): readonly PlanStep[] => {
  const ids = new Map(setup.pipelines.map(({ id, name }) => [name, id]));
  const { currency } = file;
  const isCurrency = currency !== undefined && currency !== setup.currency;
  const steps = [
    ...(isCurrency
      ? [
          {
            text: `set the default currency: ${setup.currency ?? 'none'} → ${currency ?? 'none'}`,
            changes: [currencyChange(setup.organizationId, currency)],
          },
        ]
      : []),
    ...planMembers(setup, file.members),
    ...planPipelines(setup, file.pipelines, ids),
    ...planFields(source, file.fields, setup, ids),
  ];
  source.throwIfAny();
  return steps;
};
