import { ErrorCollector, comparableName, parseFieldMetadata, trimText } from '@crm/domain';

import { type KeyPath, pathIn, type YamlFile } from '../../yaml-file.js';
import type { CustomField } from '../lookup.js';
import type { FileField } from '../setup-file.js';
import { targetOrder } from './order.js';
import { type ListPlan, planChanges, planMoves, temporaryName } from './plan-list.js';
import { type PlanStep, withoutUndefined } from './plan-step.js';

type Option = NonNullable<NonNullable<CustomField['metadata']>['options']>[number];

/** An option of the file in its stored form. Without a color, a stored option keeps its own. */
export interface GivenOption {
  readonly value: string;
  readonly label: string;
  readonly color?: string | null | undefined;
  readonly archived?: boolean;
}

const trimmed = (text: string): string => trimText(trimText(text).normalize('NFC'));

/** The options of a field of the file. An option that is only a text has it as label and as value. */
export const optionsOf = ({ options = [] }: FileField): readonly GivenOption[] =>
  options.map((option) => {
    const { value, label, ...rest } = typeof option === 'string' ? { label: option } : option;
    return { ...rest, value: trimmed(value ?? label ?? ''), label: trimmed(label ?? value ?? '') };
  });

/** The options of a stored field after the plan, in their order, each with its place in the file. */
const finalOptions = (stored: readonly Option[], given: readonly GivenOption[], found: readonly number[]) => {
  return targetOrder(found, stored.length).map((key) => {
    const index = key < stored.length ? found.indexOf(key) : key - stored.length;
    const old = stored[key];
    const entry = given[index];
    const isActive = entry?.archived === undefined ? old?.is_active !== false : !entry.archived;
    const { label = '', value = '' } = entry ?? old ?? {};
    const color = entry?.color ?? old?.color;
    return { index, option: { label, value, color: color ?? null, ...(isActive ? {} : { archived: true }) } };
  });
};

/** Reports what the API would refuse in the settings of a field after the plan. @returns the settings as the API stores them */
export const checkSettings = (
  source: YamlFile,
  path: KeyPath,
  wanted: FileField,
  field: CustomField | undefined,
): object | null => {
  const { type, options, currency, max } = wanted;
  if (field !== undefined && (options ?? currency ?? max) === undefined) return field.metadata;
  const stored = field?.metadata?.options ?? [];
  const given = optionsOf(wanted);
  const final = options && finalOptions(stored, given, foundOptions(stored, given));
  const errors = new ErrorCollector();
  const metadata = parseFieldMetadata(type, { options: final?.map(({ option }) => option), currency, max }, errors);
  for (const [at, text] of Object.entries(errors.fieldErrors)) {
    const [, place, rest = ''] = /^options\[(\d+)\](.*)$/.exec(at) ?? [];
    const index = final?.[Number(place)]?.index ?? -1;
    if (place !== undefined && index < 0) {
      const value = final?.[Number(place)]?.option.value ?? '';
      source.problem(
        [...path, 'options'],
        `${rest.slice(1)} of the option ${value}, which this file does not name, ${text}`,
      );
      continue;
    }
    const key = place === undefined ? at : `options[${index}]${rest}`;
    source.problem([...path, ...pathIn(wanted, key)], text);
  }
  return metadata;
};

const foundOptions = (stored: readonly Option[], given: readonly GivenOption[]): readonly number[] =>
  given.map(({ value }) => stored.findIndex((option) => option.value === value));

const isArchived = ({ archived }: GivenOption, { is_active: isActive }: Option): boolean =>
  archived ?? isActive === false;

const isSame = (one: string, other: string): boolean => comparableName(one) === comparableName(other);

/**
 * The label of an option until the options that the plan adds and archives are archived. It is a temporary one if the API would
 * refuse the option before that: an archived option may have the label or value of another one, or its label as value.
 *
 * @param all - the options of the field after the plan
 * @param added - those of them that the plan adds and archives
 */
export const firstLabel = (option: GivenOption, all: readonly GivenOption[], added: readonly GivenOption[]): string => {
  const { label, value } = option;
  const others = all.filter((other) => other.value !== value);
  const isTaken = added.includes(option)
    ? others.some((other) => isSame(other.label, label) || isSame(other.value, label))
    : option.archived !== true && added.some((other) => other.value !== value && isSame(other.value, label));
  // No two options can get the same temporary label.
  let nth = all.indexOf(option) + 1;
  while (all.some((other) => isSame(other.label, temporaryName(label, nth)))) nth += all.length;
  return isTaken ? temporaryName(label, nth) : label;
};

/** The steps that give options their own labels instead of those of {@link firstLabel}. */
export const finalLabelSteps = (
  title: string,
  all: readonly GivenOption[],
  added: readonly GivenOption[],
  fieldId: () => string,
): readonly PlanStep[] =>
  all.flatMap((option): readonly PlanStep[] => {
    const { value, label } = option;
    const first = firstLabel(option, all, added);
    if (first === label || added.includes(option)) return [];
    return [labelStep(title, { value, label: first }, label, fieldId)];
  });

const labelStep = (title: string, { value, label }: GivenOption, to: string, fieldId: () => string): PlanStep => ({
  text: `change ${title}, option ${value}: label: ${label} → ${to}`,
  run: (client) => client.fields.updateOption(fieldId(), { value, label: to }),
});

/** The step that archives an option which another step has created. */
export const archiveStep = (title: string, { value, label }: GivenOption, fieldId: () => string): PlanStep => ({
  text: `archive the option ${value} of ${title}`,
  run: (client) => client.fields.updateOption(fieldId(), { value, label, is_active: false }),
});

/**
 * The steps that change the options of a stored field. Options that the file does not name stay. Archived options lose
 * their claim to a label, so they come first.
 */
export const planOptions = (field: CustomField, wanted: FileField): readonly PlanStep[] => {
  const stored: readonly Option[] = field.metadata?.options ?? [];
  const entries = optionsOf(wanted);
  const title = `the ${field.object} field ${field.name}`;
  const ids = stored.map(({ value }) => value);
  const list: ListPlan<GivenOption, Option> = {
    entries,
    stored,
    found: foundOptions(stored, entries),
    ids,
    nameKey: 'label',
    titleOf: ({ value }) => `${title}, option ${value}`,
    nameOf: ({ label }) => label,
    valuesOf: ({ label, color, archived }) => ({
      label,
      color,
      is_active: archived === undefined ? undefined : !archived,
    }),
    update: (client, value, body) => client.fields.updateOption(field.field_id, { ...body, value }),
  };
  const changes = planChanges(list, {
    unique: {
      before: ({ label, is_active: isActive }) => (isActive === false ? null : label),
      after: (entry, option) => (isArchived(entry, option) ? null : entry.label),
    },
  });
  const isNew = (value: string): boolean => !ids.includes(value);
  const added = entries.filter(({ value, archived }) => archived === true && isNew(value));
  const all = finalOptions(stored, entries, list.found).map(({ index, option }) => {
    const entry = entries[index];
    return entry !== undefined && added.includes(entry) ? entry : option;
  });
  const fieldId = (): string => field.field_id;
  const lent = all.flatMap((option): readonly PlanStep[] => {
    const first = firstLabel(option, all, added);
    return first === option.label || isNew(option.value) ? [] : [labelStep(title, option, first, fieldId)];
  });
  const additions = entries.flatMap((entry, index): readonly PlanStep[] => {
    const { value, color } = entry;
    if ((list.found[index] ?? -1) >= 0) return [];
    const label = firstLabel(all.find((option) => option.value === value) ?? entry, all, added);
    const add: PlanStep = {
      text: `change ${title}, add the option ${value}`,
      run: (client) => client.fields.createOption(field.field_id, withoutUndefined({ value, label, color })),
    };
    return added.includes(entry) ? [add, archiveStep(title, entry, fieldId)] : [add];
  });
  const labels = finalLabelSteps(title, all, added, fieldId);
  for (const [index, { value }] of entries.entries())
    if ((list.found[index] ?? -1) < 0) ids[stored.length + index] = value;
  return [...changes, ...lent, ...additions, ...labels, ...planMoves(list)];
};
