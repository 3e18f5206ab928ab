import type { FileField, FileOption, SetupFile } from '../setup-file.js';
import { firstLabel, optionsOf } from './plan-options.js';
import type { StoredSetup } from './plan-step.js';

type Entry = { readonly archived?: boolean };

/** An entry without its archiving: a new one is created active, a stored one stays as it is. */
const active = <T extends Entry>(entry: T): T => {
  if (entry.archived !== true) return entry;
  return Object.fromEntries(Object.entries(entry).filter(([key]) => !['archived', 'move_to'].includes(key))) as T;
};

/**
 * The options of a field that are all active. An active option must not have the label of another one, so an archived
 * option gets a temporary label. Records have its value, not its label.
 */
const activeOptions = (field: FileField, stored: StoredSetup): NonNullable<FileField['options']> => {
  const known =
    stored.fields.find(({ object, name }) => object === field.object && name === field.slug)?.metadata?.options ?? [];
  const all = optionsOf(field);
  const added = all.filter(({ archived, value }) => archived === true && known.every((one) => one.value !== value));
  return all.map((option): FileOption => {
    const old = known.find(({ value }) => value === option.value);
    const { value, color } = option;
    if (option.archived === true && old !== undefined) return { value, label: old.label };
    return active({
      value,
      label: firstLabel(option, all, added),
      ...(color === undefined || color === null ? {} : { color }),
      ...(option.archived === undefined ? {} : { archived: option.archived }),
    });
  });
};

/**
 * A setup file as it is before its entries are archived, so that records can be created that refer to them. Applying the
 * file itself afterwards archives them.
 */
export const activeFirst = (file: SetupFile, stored: StoredSetup): SetupFile => ({
  ...file,
  ...(file.members && { members: file.members.map(active) }),
  ...(file.pipelines && {
    pipelines: file.pipelines.map((pipeline) => ({
      ...active(pipeline),
      ...(pipeline.stages && { stages: pipeline.stages.map(active) }),
    })),
  }),
  ...(file.fields && {
    fields: file.fields.map((field) => ({
      ...active(field),
      ...(field.options && { options: activeOptions(field, stored) }),
    })),
  }),
});
