import {
  comparisonKey,
  comparisonKind,
  type ComparisonValue,
  type CustomFieldDefinition,
  type CustomValue,
  type FieldRef,
  normalizeForSearch,
  type RelationName,
} from '@crm/domain';
import type { RecordDraw } from './record-draw.js';

/** A record as the test wrote it, independent of the database. */
export interface RecordModel {
  readonly id: string;
  readonly createdAtMs: number;
  /** System fields in comparison form: normalized text, instants as Unix milliseconds. */
  readonly system: Readonly<Record<string, string | number | boolean | null>>;
  readonly relations: Readonly<Partial<Record<RelationName, string | null>>>;
  /** Custom values in stored form by slug; a missing slug has no value. */
  readonly custom: ReadonlyMap<string, CustomValue>;
  /** The normalized texts that `q` searches. */
  readonly searched: readonly string[];
}

/** The custom values without nulls. */
export const customOf = ({ values }: RecordDraw): ReadonlyMap<string, CustomValue> =>
  new Map([...values].filter((entry): entry is [string, CustomValue] => entry[1] !== null));

/** The creation time, change time and version that are set after a record is written. */
export const historyOf = ({ createdAtMs, updatedAtMs, version }: RecordDraw) => ({
  created_at: createdAtMs,
  updated_at: updatedAtMs,
  version,
});

export const normalizeOrNull = (text: string | null): string | null =>
  text === null ? null : normalizeForSearch(text);

const partOf = (value: CustomValue, definition: CustomFieldDefinition, part: string): ComparisonValue => {
  const found = (value as unknown as Readonly<Record<string, string | number | null>>)[part] ?? null;
  return typeof found === 'string' && definition.attributeType === 'location' ? normalizeForSearch(found) : found;
};

const customValue = (
  record: RecordModel,
  definition: CustomFieldDefinition,
  part: string | undefined,
): ComparisonValue => {
  const value = record.custom.get(definition.slug);
  if (value === undefined) return null;
  if (part !== undefined) return partOf(value, definition, part);
  switch (comparisonKind(definition.attributeType)) {
    case 'text':
    case 'number':
      return comparisonKey(definition, value);
    case 'set':
      return value as readonly string[];
    default:
      // A date range or location as a whole can only be tested for presence.
      return 'present';
  }
};

/** The value of a record for a filter or sort. */
export const valueOf = (record: RecordModel, ref: FieldRef): ComparisonValue => {
  switch (ref.source) {
    case 'system': {
      const value = record.system[ref.field.name];
      if (value === undefined) throw new Error(`The model has no ${ref.field.name}`);
      return value;
    }
    case 'relation':
      return record.relations[ref.name] ?? null;
    default:
      return customValue(record, ref.definition, ref.part);
  }
};
