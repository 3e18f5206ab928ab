import { comparableName } from '@crm/domain';

import type { TargetSetup } from '../../import/mapping/body-check.js';
import type { PipelineWithStages } from '../lookup.js';
import type { FileField, FilePipeline, SetupFile } from '../setup-file.js';
import { optionsOf } from './plan-options.js';
import type { StoredSetup } from './plan-step.js';

type Entry = { readonly archived?: boolean };
type Field = TargetSetup['fields'][number];

/** An entry that the file archives stays as it is stored until the records are there. */
const isActive = ({ archived }: Entry, stored: boolean | undefined): boolean => archived === false || (stored ?? true);

const isSame = (one: string, other: string): boolean => comparableName(one) === comparableName(other);

/** The stored entries, and those of the file that are not stored. */
const merged = <Stored, Given>(
  stored: readonly Stored[],
  given: readonly Given[],
  find: (one: Stored, other: Given) => boolean,
  make: (given: Given, stored: Stored | undefined) => Stored,
): readonly Stored[] => [
  ...stored.filter((one) => !given.some((other) => find(one, other))),
  ...given.map((other) =>
    make(
      other,
      stored.find((one) => find(one, other)),
    ),
  ),
];

/** The setup of an organization after a file is applied, before anything is archived. New entries have invented ids. */
export const plannedSetup = (file: SetupFile, stored: StoredSetup): TargetSetup => {
  let count = 0;
  const newId = (): string => `00000000-0000-4000-8000-${String((count += 1)).padStart(12, '0')}`;
  const { members = [], pipelines = [], fields = [] } = file;
  const stagesOf = (id: string, { stages = [] }: FilePipeline, old: PipelineWithStages | undefined) =>
    merged(
      old?.stages ?? [],
      stages,
      (one, other) => isSame(one.label, other.label),
      (stage, known) => ({
        stage_id: known?.stage_id ?? newId(),
        pipeline_id: id,
        label: stage.label,
        stage_order: 1,
        color: 'gray',
        is_default: stage.default === true,
        probability: null,
        outcome: 'open' as const,
        is_active: isActive(stage, known?.is_active),
      }),
    );
  const planned = merged(
    stored.pipelines,
    pipelines,
    (one, other) => isSame(one.name, other.name),
    (given, old) => {
      const id = old?.pipeline_id ?? newId();
      const { name } = given;
      const stages = stagesOf(id, given, old);
      return {
        pipeline_id: id,
        name,
        is_active: isActive(given, old?.is_active),
        created_at: '',
        stages,
      };
    },
  );
  const idOf = (name: string): string => planned.find((one) => isSame(one.name, name))?.pipeline_id ?? name;
  return {
    pipelines: planned,
    members: merged<TargetSetup['members'][number], (typeof members)[number]>(
      stored.members,
      members,
      (one, other) => one.email === other.email,
      ({ email, ...member }, old) => {
        return { member_id: old?.member_id ?? newId(), email, is_active: isActive(member, old?.is_active) };
      },
    ),
    fields: merged(
      stored.fields,
      fields,
      (one, other) => one.object === other.object && one.name === other.slug,
      (given, old) => plannedField(given, old, newId, idOf),
    ),
  };
};

const plannedField = (
  given: FileField,
  old: Field | undefined,
  newId: () => string,
  idOf: (pipeline: string) => string,
): Field => {
  const { object, slug, name, type, currency, max, pipelines } = given;
  const options = merged(
    old?.metadata?.options ?? [],
    optionsOf(given),
    (one, other) => one.value === other.value,
    ({ value, label, color, archived }, known) => {
      const state = isActive(archived === undefined ? {} : { archived }, known?.is_active);
      return { value, label, color: color ?? known?.color ?? 'gray', is_active: state };
    },
  );
  const metadata = { ...old?.metadata, ...(currency !== undefined && { currency }), ...(max !== undefined && { max }) };
  return {
    object,
    field_id: old?.field_id ?? newId(),
    name: slug,
    current_name: name,
    property_name: `custom__${slug}`,
    attribute_type: type,
    is_custom: true,
    is_hidden: given.hidden === true,
    is_active: isActive(given, old?.is_active),
    ...(pipelines === undefined ? {} : { pipeline_ids: pipelines.map(idOf) }),
    metadata: { ...metadata, ...(options.length > 0 && { options }) },
  } as unknown as Field;
};
