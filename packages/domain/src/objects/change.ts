import { comparisonKey, normalizedForm } from '../custom-field/comparison.js';
import type { CustomValue } from '../custom-field/custom-value.js';
import { type CustomFieldDefinition, propertyName } from '../custom-field/definition.js';
import type { StoredCondition } from '../custom-field/parse-values.js';
import type { ObjectType } from '../object-type.js';
import { normalizeOrNull, firstCodePoints } from '../text.js';
import { objects } from './objects.js';

/** Custom values with the definitions by which they were parsed. An absent slug keeps its value, null clears it. */
export interface CustomValues {
  readonly definitions: ReadonlyMap<string, CustomFieldDefinition>;
  readonly values: ReadonlyMap<string, CustomValue | null>;
}

/** The records that a change refers to, by their natural keys and external ids. */
export interface References {
  readonly account_domain?: string | null;
  readonly account_external_id?: string | null;
  readonly primary_email?: string | null;
  readonly primary_external_id?: string | null;
  readonly additional_emails?: readonly string[] | null;
  readonly additional_external_ids?: readonly string[] | null;
}

/** A change of a record, in the form in which it is stored. An absent key keeps its value, null clears it. */
export interface Change {
  /** Columns that the request sets. */
  readonly set: Readonly<Record<string, unknown>>;
  /** Columns that are computed from the request. */
  readonly derived: Readonly<Record<string, unknown>>;
  /** By slug. */
  readonly custom_fields: Readonly<Record<string, CustomValue | null>>;
  /** By system field, or `custom__slug`. */
  readonly normalized: Readonly<Record<string, unknown>>;
  readonly references: References;
  /** What the record must have already; absent if nothing. Without it, the change is refused. */
  readonly if_stored?: readonly StoredCondition[];
}

/** The slot column of an indexed field with its comparison key; empty for other fields. */
const slotColumn = (definition: CustomFieldDefinition, value: CustomValue | null): Record<string, unknown> => {
  if (definition.slot === null) return {};
  const key = value === null ? null : comparisonKey(definition, value);
  return { [definition.slot]: typeof key === 'string' ? firstCodePoints(key) : key };
};

const none: CustomValues = { definitions: new Map(), values: new Map() };

/**
 * The change that stores values: a value in its column, and its normalized text in `normalized` or in columns of its own.
 * A custom value is stored in `custom_fields`, its normalized text in `normalized`, and its comparison key in its slot.
 * @param values - stored forms by the name of the field. Names of fields that requests cannot set are ignored.
 */
export const changeOf = (
  objectType: ObjectType,
  values: Readonly<Record<string, unknown>>,
  custom: CustomValues = none,
): Change => {
  const set: Record<string, unknown> = {};
  const derived: Record<string, unknown> = {};
  const normalized: Record<string, unknown> = {};
  const references: Record<string, unknown> = {};
  const customFields: Record<string, CustomValue | null> = {};
  for (const { name, kind, write } of objects[objectType].fields) {
    const value = values[name];
    if (write === undefined || value === undefined) continue;
    if (write.reference !== undefined) references[write.reference] = value;
    else {
      set[name] = value;
      if (write.derive !== undefined) Object.assign(derived, write.derive(value as never));
      else if (kind === 'text') normalized[name] = normalizeOrNull(value as string | null);
    }
  }
  for (const [slug, value] of custom.values) {
    const definition = custom.definitions.get(slug);
    if (definition === undefined) continue;
    customFields[slug] = value;
    normalized[propertyName(slug)] = value === null ? null : normalizedForm(definition, value);
    Object.assign(derived, slotColumn(definition, value));
  }
  return { set, derived, custom_fields: customFields, normalized, references };
};
