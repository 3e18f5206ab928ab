import type { CrmClient } from '@crm/client';
import { ErrorCollector, type ObjectType, parseFieldMetadata } from '@crm/domain';

import { pathIn, type YamlFile } from '../yaml-file.js';
import type { CustomField } from './lookup.js';
import {
  activeIf,
  changeStep,
  indexOf,
  type PlanStep,
  positionsOf,
  type StoredSetup,
  withoutUndefined,
} from './plan-step.js';
import type { FileField, FileOption } from './setup-file.js';

type Option = NonNullable<NonNullable<CustomField['metadata']>['options']>[number];
type GivenOption = Omit<FileOption, 'value'> & { readonly value: string; readonly label: string };

const optionsOf = ({ options = [] }: FileField): readonly GivenOption[] =>
  options.map((option) => {
    const { value, label, ...rest } = typeof option === 'string' ? { label: option } : option;
    return { ...rest, value: value ?? label ?? '', label: label ?? value ?? '' };
  });

/** The steps that change the options of an existing field. Options that the file does not name stay, after those of the file. */
const planOptions = (field: CustomField, wanted: FileField): readonly PlanStep[] => {
  const stored: readonly Option[] = field.metadata?.options ?? [];
  const given = optionsOf(wanted);
  const found = given.map((option) => indexOf(stored, 'value', option.value, undefined));
  const positionOf = positionsOf(found);
  const title = `change the ${field.object} field ${field.name}`;
  return given.flatMap((option, index): readonly PlanStep[] => {
    const { value, label, color, archived } = option;
    const at = found[index] ?? -1;
    const position = positionOf(index);
    const update = (client: CrmClient, body: object) => client.fields.updateOption(field.field_id, { value, ...body });
    const old = stored[at];
    if (old !== undefined) {
      return changeStep(
        `${title}, option ${value}`,
        { label, color, is_active: activeIf(archived) },
        { ...old },
        { now: at + 1, position },
        update,
      );
    }
    const run = async (client: CrmClient): Promise<void> => {
      await client.fields.createOption(field.field_id, { value, label, ...(color === undefined ? {} : { color }) });
      if (position !== undefined || archived === true)
        await update(client, withoutUndefined({ position, is_active: activeIf(archived) }));
    };
    return [{ text: `${title}, add the option ${value}`, run }];
  });
};

const createField = (wanted: FileField, position: number | undefined, ids: ReadonlyMap<string, string>) => {
  const { object, slug, name, type, currency, max, hidden, archived, pipelines } = wanted;
  return async (client: CrmClient): Promise<void> => {
    const options = optionsOf(wanted);
    const { data } = await client.fields.create({
      object,
      slug,
      current_name: name,
      attribute_type: type,
      ...withoutUndefined({
        currency,
        max,
        position,
        is_hidden: hidden,
        options: wanted.options && options.map(({ value, label, color }) => withoutUndefined({ value, label, color })),
        pipeline_ids: pipelines?.map((one) => ids.get(one) ?? ''),
      }),
    });
    const id = data.field.field_id ?? '';
    for (const { value, archived: isArchived } of options)
      if (isArchived === true) await client.fields.updateOption(id, { value, is_active: false });
    if (archived === true) await client.fields.update(id, { is_active: false });
  };
};

/** Adds a problem for a value that the API would refuse: bad settings of a type, an unknown pipeline, or a changed type. */
const checkField = (
  source: YamlFile,
  path: readonly (string | number)[],
  wanted: FileField,
  stored: CustomField | undefined,
  ids: ReadonlyMap<string, string>,
): void => {
  const { type, options, currency, max, pipelines, object } = wanted;
  const errors = new ErrorCollector();
  parseFieldMetadata(type, { options: options && optionsOf(wanted), currency, max }, errors);
  if (stored === undefined || (options ?? currency ?? max) !== undefined)
    for (const [at, text] of Object.entries(errors.fieldErrors)) source.problem([...path, ...pathIn(wanted, at)], text);
  pipelines?.forEach((name, index) => {
    if (!ids.has(name)) source.problem([...path, 'pipelines', index], `there is no pipeline ${name}`);
  });
  if (pipelines !== undefined && object !== 'opportunity')
    source.problem([...path, 'pipelines'], 'applies only to fields of opportunities');
  if (stored === undefined) return;
  if (type !== stored.attribute_type)
    source.problem([...path, 'type'], `is ${stored.attribute_type} and cannot be changed`);
  const idsOf = (all: readonly string[]) => JSON.stringify(all.toSorted());
  const isSame =
    pipelines === undefined || idsOf(pipelines.map((name) => ids.get(name) ?? '')) === idsOf(stored.pipeline_ids ?? []);
  if (!isSame) source.problem([...path, 'pipelines'], 'the pipelines of a field cannot be changed');
};

/** Plans the calls that bring the fields of one object, with their options, into the state of the file. */
export const planFields = (
  source: YamlFile,
  setup: StoredSetup,
  fields: readonly FileField[],
  ids: ReadonlyMap<string, string>,
  object: ObjectType,
): readonly PlanStep[] => {
  const all = setup.fields.filter((field) => field.object === object);
  const wantedFields = fields.filter((field) => field.object === object);
  const found = wantedFields.map(({ slug }) => indexOf(all, 'name', slug, undefined));
  const positionOf = positionsOf(found);
  return wantedFields.flatMap((wanted, index): readonly PlanStep[] => {
    const at = found[index] ?? -1;
    const stored = all[at];
    const position = positionOf(index);
    checkField(source, ['fields', fields.indexOf(wanted)], wanted, stored, ids);
    const { slug, name, type, hidden, archived, currency, max } = wanted;
    if (stored === undefined) {
      return [{ text: `define the ${object} field ${slug} (${type})`, run: createField(wanted, position, ids) }];
    }
    const values = { current_name: name, is_hidden: hidden, is_active: activeIf(archived), currency, max };
    const own = changeStep(
      `change the ${object} field ${slug}`,
      values,
      { ...stored, ...stored.metadata },
      { now: at + 1, position },
      (client, body) => client.fields.update(stored.field_id, body),
    );
    return [...own, ...planOptions(stored, wanted)];
  });
};
