import { randomUUID } from 'node:crypto';

import { type OrganizationSetup, defineFieldChange, type SetupField, updateFieldChange } from '@crm/db';
import { type FieldMetadata, type FieldOption, objectTypes, parseFieldMetadata } from '@crm/domain';

import type { MappingSource } from '../import/mapping/mapping-source.js';
import { describeChange, differing, isOutOfOrder, type PlanStep } from './plan-step.js';
import type { FileField } from './setup-file.js';

type Values = Readonly<Record<string, unknown>>;

const valueOf = (option: Values): unknown => option['value'] ?? option['label'];

/** Merges options: those of the file in its order, then the stored ones that the file does not name. */
const mergeOptions = (stored: readonly FieldOption[], wanted: readonly Values[]): readonly object[] => [
  ...wanted.map((option) => ({ ...stored.find(({ value }) => value === valueOf(option)), ...option })),
  ...stored.filter(({ value }) => !wanted.some((option) => valueOf(option) === value)),
];

/** The options, currency and maximum that a field gets from the file. Undefined if the stored ones stay unchanged. */
const wantedMetadata = (
  source: MappingSource,
  { path, type, options, currency, max }: FileField,
  stored: FieldMetadata | null | undefined,
): FieldMetadata | null | undefined => {
  const isGiven = [options, currency, max].some((value) => value !== undefined);
  if (!isGiven && stored !== undefined) return undefined;
  const given = {
    ...(options === undefined ? {} : { options: mergeOptions(stored?.options ?? [], options) }),
    ...(currency === undefined ? {} : { currency }),
    ...(max === undefined ? {} : { max }),
  };
  const metadata = parseFieldMetadata(type, given);
  if (metadata.ok) return metadata.value;
  source.problem(path, metadata.message);
  return null;
};

const pipelineIdsOf = (
  source: MappingSource,
  { path, pipelines }: FileField,
  ids: ReadonlyMap<string, string>,
): readonly string[] | null =>
  pipelines?.map((name, index) => {
    const id = ids.get(name);
    if (id === undefined) source.problem([...path, 'pipelines', index], `there is no pipeline ${name}`);
    return id ?? '';
  }) ?? null;

const isSame = (one: unknown, other: unknown): boolean => {
  const canonical = (value: unknown): string =>
    JSON.stringify(value, (_key, part: unknown) =>
      typeof part === 'object' && part !== null && !Array.isArray(part)
        ? Object.fromEntries(
            Object.entries(part)
              .filter(([key, inner]) => !(key === 'archived' && inner === false))
              .sort(([a], [b]) => (a < b ? -1 : 1)),
          )
        : part,
    );
  return canonical(one) === canonical(other);
};

/** Adds a problem if the file changes the type or the pipelines of an existing field, which is not possible. */
const checkFixed = (
  source: MappingSource,
  wanted: FileField,
  stored: SetupField,
  pipelineIds: readonly string[] | null,
): void => {
  if (wanted.type !== stored.attributeType) {
    source.problem([...wanted.path, 'type'], `is ${stored.attributeType} and cannot be changed`);
  }
  if (wanted.pipelines === undefined) return;
  const sorted = (ids: readonly string[] | null) => (ids === null ? null : ids.toSorted());
  if (!isSame(sorted(pipelineIds), sorted(stored.pipelineIds))) {
    source.problem([...wanted.path, 'pipelines'], 'the pipelines of a field cannot be changed');
  }
};

const planField = (
  source: MappingSource,
  wanted: FileField,
  stored: SetupField | undefined,
  position: number | undefined,
  ids: ReadonlyMap<string, string>,
): readonly PlanStep[] => {
  const { object: objectType, slug, name, type: attributeType, hidden: isHidden, archived } = wanted;
  const isActive = archived === undefined ? undefined : !archived;
  const pipelineIds = pipelineIdsOf(source, wanted, ids);
  const metadata = wantedMetadata(source, wanted, stored?.metadata);
  if (stored === undefined) {
    const values = { metadata: metadata ?? null, position, isHidden: isHidden ?? false, isActive, pipelineIds };
    const change = defineFieldChange(randomUUID(), { objectType, slug, name, attributeType, ...values });
    return [{ text: `define the ${objectType} field ${slug} (${attributeType})`, changes: [change] }];
  }
  checkFixed(source, wanted, stored, pipelineIds);
  const values = differing({ name, isHidden, isActive }, { ...stored });
  const isMetadata = metadata !== undefined && !isSame(metadata, stored.metadata);
  // As for stages, every field gets its position, one after the other.
  if (Object.keys(values).length === 0 && !isMetadata && position === undefined) return [];
  const place = position === undefined || position === stored.position ? '' : `place: ${position}`;
  const texts = [describeChange(values, { ...stored }), isMetadata ? 'options and bounds' : '', place];
  const text = texts.filter((part) => part !== '').join(', ');
  const change = { ...values, position, ...(isMetadata ? { metadata } : {}) };
  return [
    {
      text: text === '' ? '' : `change the ${objectType} field ${slug}: ${text}`,
      changes: [updateFieldChange(stored, change, isMetadata ? stored.metadata : undefined)],
    },
  ];
};

/** Plans the changes of custom fields. `ids` maps pipeline names to ids, including pipelines that the plan creates. */
export const planFields = (
  source: MappingSource,
  fields: readonly FileField[],
  setup: OrganizationSetup,
  ids: ReadonlyMap<string, string>,
): readonly PlanStep[] =>
  objectTypes.flatMap((object) => {
    const wanted = fields.filter((field) => field.object === object);
    const stored = wanted.map(({ slug }) =>
      setup.fields.find((field) => field.objectType === object && field.slug === slug),
    );
    const isMoved = isOutOfOrder(stored.map((field) => field?.position));
    return wanted.flatMap((field, index) =>
      planField(source, field, stored[index], isMoved ? index + 1 : undefined, ids),
    );
  });
