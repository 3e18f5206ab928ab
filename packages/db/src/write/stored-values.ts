import {
  comparisonKey,
  type CustomFieldDefinition,
  type CustomValue,
  foldsOf,
  propertyName,
  sortKeyCodePoints,
} from '@crm/domain';

/** The columns that carry a record's custom values, ready to be written: `custom_fields`, `folds` and the slots. */
export interface StoredValues {
  readonly custom_fields: Readonly<Record<string, CustomValue>>;
  readonly folds: Readonly<Record<string, unknown>>;
  readonly [slot: `text_${number}` | `number_${number}`]: string | number | null;
}

const firstCodePoints = (text: string): string =>
  text.length <= sortKeyCodePoints ? text : Array.from(text).slice(0, sortKeyCodePoints).join('');

/**
 * Lays custom values out over the columns of a record.
 *
 * @param values - by slug; null ones are left out
 * @param systemFolds - folds of system text fields by their name, which share the `folds` column
 */
export const storeValues = (
  definitions: ReadonlyMap<string, CustomFieldDefinition>,
  values: ReadonlyMap<string, CustomValue | null>,
  systemFolds: Readonly<Record<string, string | null>>,
): StoredValues => {
  const customFields: Record<string, CustomValue> = {};
  const folds: Record<string, unknown> = {};
  const slots: Record<string, string | number | null> = {};
  for (const [name, fold] of Object.entries(systemFolds)) if (fold !== null) folds[name] = fold;
  for (const [slug, value] of values) {
    const definition = definitions.get(slug);
    if (definition === undefined || value === null) continue;
    customFields[slug] = value;
    const fold = foldsOf(definition, value);
    if (fold !== null) folds[propertyName(slug)] = fold;
    if (definition.slot === null) continue;
    const key = comparisonKey(definition, value);
    slots[definition.slot] = typeof key === 'string' ? firstCodePoints(key) : key;
  }
  return { ...slots, custom_fields: customFields, folds };
};
