import type { CrmClient } from '@crm/client';
import { objectTypes, type ObjectType } from '@crm/domain';

import type { KeyPath, YamlFile } from '../../yaml-file.js';
import type { CustomField } from '../lookup.js';
import type { FileField } from '../setup-file.js';
import { type ListPlan, planArchives, planChanges, planPlaces } from './plan-list.js';
import { archiveStep, checkSettings, finalLabelSteps, firstLabel, optionsOf, planOptions } from './plan-options.js';
import type { PipelinesPlan } from './plan-pipelines.js';
import { type Answer, type PlanStep, restoredIf, type StoredSetup, withoutUndefined } from './plan-step.js';
import type { SetupSize } from './setup-size.js';

const createField = async (
  client: CrmClient,
  wanted: FileField,
  position: number | undefined,
  idOf: PipelinesPlan['idOf'],
): Promise<Answer & { readonly id: string }> => {
  const { object, slug, name, type, currency, max, hidden, pipelines } = wanted;
  const options = optionsOf(wanted);
  const archived = options.filter((option) => option.archived === true);
  const { data, readAfter } = await client.fields.create({
    object,
    slug,
    current_name: name,
    attribute_type: type,
    ...withoutUndefined({
      currency,
      max,
      position,
      is_hidden: hidden,
      options:
        wanted.options &&
        options.map((option) => {
          const { value, color } = option;
          return withoutUndefined({ value, color, label: firstLabel(option, options, archived) });
        }),
      pipeline_ids: pipelines?.map((one) => idOf(one) ?? ''),
    }),
  });
  return { id: data.field.field_id ?? '', readAfter };
};

/** Reports what the API would refuse: an unknown pipeline, and a change of what cannot change. */
const checkField = (
  source: YamlFile,
  path: KeyPath,
  { type, pipelines, object, currency, reinterpret_values: isReinterpreted }: FileField,
  stored: CustomField | undefined,
  isUsed: boolean,
  idOf: PipelinesPlan['idOf'],
): void => {
  pipelines?.forEach((name, index) => {
    if (idOf(name) === undefined) source.problem([...path, 'pipelines', index], `there is no pipeline ${name}`);
  });
  if (pipelines?.length === 0) source.problem([...path, 'pipelines'], 'must name at least one, or be left out for all');
  if (pipelines !== undefined && object !== 'opportunity')
    source.problem([...path, 'pipelines'], 'applies only to fields of opportunities');
  if (isReinterpreted !== undefined && currency === undefined)
    source.problem([...path, 'reinterpret_values'], 'applies only with currency');
  if (stored === undefined) return;
  if (isUsed) {
    const values = stored.is_active === false ? 'is archived, so it may have values' : 'has values';
    const before = `the field ${values}, and its currency is ${stored.metadata?.currency ?? 'none'}`;
    const advice = `with reinterpret_values: true beside it, the numbers stay and become amounts in ${currency ?? ''}`;
    source.problem([...path, 'currency'], `${before}: ${advice}`);
  }
  if (type !== stored.attribute_type)
    source.problem([...path, 'type'], `is ${stored.attribute_type} and cannot be changed`);
  const idsOf = (all: readonly string[]) => JSON.stringify([...new Set(all)].toSorted());
  const isSame =
    pipelines === undefined || idsOf(pipelines.map((name) => idOf(name) ?? '')) === idsOf(stored.pipeline_ids ?? []);
  if (!isSame) source.problem([...path, 'pipelines'], 'the pipelines of a field cannot be changed');
};

interface Work {
  readonly source: YamlFile;
  readonly setup: StoredSetup;
  readonly entries: readonly FileField[];
  readonly pipelines: PipelinesPlan;
  readonly size: SetupSize;
}

/** Plans the changes of custom fields, with their options. */
export const planFields = (work: Work): readonly PlanStep[] =>
  objectTypes.flatMap((object) => planFieldsOf(work, object));

const planFieldsOf = ({ source, size, setup, pipelines, ...all }: Work, object: ObjectType): readonly PlanStep[] => {
  const stored = setup.fields
    .filter((field) => field.object === object)
    .map((field) => ({ ...field, currency: field.metadata?.currency, max: field.metadata?.max }));
  const entries = all.entries.filter((field) => field.object === object);
  const list: ListPlan<FileField, CustomField> = {
    entries,
    stored,
    found: entries.map(({ slug }) => stored.findIndex((field) => field.name === slug)),
    ids: stored.map((field) => field.field_id),
    nameKey: 'current_name',
    titleOf: (field) => `the ${object} field ${'slug' in field ? field.slug : field.name}`,
    nameOf: (field) => ('slug' in field ? field.slug : field.name),
    valuesOf: ({ slug, name, hidden, archived, currency, max, reinterpret_values: isReinterpreted }) => {
      const isChanged = currency !== undefined && currency !== stored.find((field) => field.name === slug)?.currency;
      const settings = { currency, reinterpret_values: isChanged && isReinterpreted === true ? true : undefined, max };
      return { current_name: name, is_hidden: hidden, is_active: restoredIf(archived), ...settings };
    },
    update: (client, id, body) => client.fields.update(id, body),
  };
  for (const [index, wanted] of entries.entries()) {
    const path = ['fields', all.entries.indexOf(wanted)];
    const field = stored[list.found[index] ?? -1];
    if (field === undefined) size.add('fields', [...path, 'slug']);
    checkField(source, path, wanted, field, setup.inUse.has(field?.field_id ?? ''), pipelines.idOf);
    const metadata = checkSettings(source, path, wanted, field);
    size.grow([wanted.name, metadata], [field?.current_name, field?.metadata]);
  }
  const places = planPlaces(
    list,
    (client, wanted, position) => createField(client, wanted, position, pipelines.idOf),
    ({ slug, type }) => `define the ${object} field ${slug} (${type})`,
  );
  const options = entries.flatMap((wanted, index): readonly PlanStep[] => {
    const field = stored[list.found[index] ?? -1];
    if (field !== undefined) return planOptions(field, wanted);
    const all = optionsOf(wanted);
    const archived = all.filter((option) => option.archived === true);
    const fieldId = (): string => list.ids[stored.length + index] ?? '';
    const title = list.titleOf(wanted);
    const steps = archived.map((option) => archiveStep(title, option, fieldId));
    return [...steps, ...finalLabelSteps(title, all, archived, fieldId)];
  });
  return [...planChanges(list), ...places, ...options, ...planArchives(list)];
};
