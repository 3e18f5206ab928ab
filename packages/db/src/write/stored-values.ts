import {
  comparisonKey,
  type CustomFieldDefinition,
  type CustomValue,
  normalizeForSearch,
  normalizedForm,
  propertyName,
  sortKeyCodePoints,
} from '@crm/domain';

/** Custom values with the definitions by which they were parsed. An absent slug keeps its value, null clears it. */
export interface CustomValues {
  readonly definitions: ReadonlyMap<string, CustomFieldDefinition>;
  readonly values: ReadonlyMap<string, CustomValue | null>;
}

/** Text columns by name. Undefined keeps the value, null clears it. */
export type TextColumns = Readonly<Record<string, string | null | undefined>>;

/** A change, as the SQL write functions expect it. An absent key keeps its value, null clears it. */
export interface Change {
  /** Columns that the request sets. */
  readonly set: Readonly<Record<string, unknown>>;
  /** Columns that are computed from the request. */
  readonly derived: Readonly<Record<string, unknown>>;
  /** By slug. */
  readonly custom_fields: Readonly<Record<string, CustomValue | null>>;
  /** By system field, or `custom__slug`. */
  readonly normalized: Readonly<Record<string, unknown>>;
}

const firstCodePoints = (text: string): string =>
  text.length <= sortKeyCodePoints ? text : Array.from(text).slice(0, sortKeyCodePoints).join('');

/** The normalized form of a text that may be null. */
export const normalizeOrNull = (text: string | null): string | null =>
  text === null ? null : normalizeForSearch(text);

/** The columns with a value or null, without undefined ones. */
export const sentOnly = (columns: Readonly<Record<string, unknown>>): Record<string, unknown> =>
  Object.fromEntries(Object.entries(columns).filter(([, value]) => value !== undefined));

/** The slot column of an indexed field with its comparison key; empty for other fields. */
const slotColumn = (
  definition: CustomFieldDefinition,
  value: CustomValue | null,
): Record<string, string | number | null> => {
  if (definition.slot === null) return {};
  const key = value === null ? null : comparisonKey(definition, value);
  return { [definition.slot]: typeof key === 'string' ? firstCodePoints(key) : key };
};

/**
 * The change of a record's columns. A custom value is stored in `custom_fields`, its normalized text in `normalized`, and its comparison
 * key in its slot. A text is stored in its own column, and its normalized text in `normalized`.
 *
 * @param texts - text columns whose normalized texts share the `normalized` column
 */
export const columnChange = (custom: CustomValues, texts: TextColumns): Change => {
  const customFields: Record<string, CustomValue | null> = {};
  const normalized: Record<string, unknown> = {};
  const derived: Record<string, unknown> = {};
  for (const [name, text] of Object.entries(texts)) if (text !== undefined) normalized[name] = normalizeOrNull(text);
  for (const [slug, value] of custom.values) {
    const definition = custom.definitions.get(slug);
    if (definition === undefined) continue;
    customFields[slug] = value;
    normalized[propertyName(slug)] = value === null ? null : normalizedForm(definition, value);
    Object.assign(derived, slotColumn(definition, value));
  }
  return { set: sentOnly(texts), derived, custom_fields: customFields, normalized };
};
