import { normalizeForSearch } from '../text.js';
import type { CustomValue } from './custom-value.js';
import type { FilterKind } from '../query/filter/operators.js';
import { attributeDescriptions, type AttributeType } from './attribute-types.js';
import type { CustomFieldDefinition } from './definition.js';
import { isJsonObject } from './values/json-object.js';
import { locationTextParts } from './values/location.js';

/** How values of a type compare: as one text, as one number, as a set of texts, or only part by part. */
type ComparisonKind = 'text' | 'number' | 'set' | 'whole';

/** The text parts of a location and its formatted text, normalized. */
export type NormalizedLocation = Readonly<Record<(typeof locationTextParts)[number] | 'formatted', string | null>>;

/** Other kinds compare as text. Dates and times are fixed-width text: sorting by text sorts by time. */
const comparisonKinds: Readonly<Partial<Record<FilterKind, ComparisonKind>>> = {
  number: 'number',
  timestamp: 'number',
  checkbox: 'number',
  option_set: 'set',
  member_set: 'set',
  whole: 'whole',
};

/** How values of this type compare. */
export const comparisonKind = (attributeType: AttributeType): ComparisonKind =>
  comparisonKinds[attributeDescriptions[attributeType].kind] ?? 'text';

/**
 * Whether texts of this type are compared in their normalized form. Dates, times and options are compared as stored.
 */
export const isNormalized = (attributeType: AttributeType): boolean =>
  attributeDescriptions[attributeType].kind === 'text';

/** The kind of indexed column for this type's comparison key, or null if the type has no such key. */
export const slotKind = (attributeType: AttributeType): 'text' | 'number' | null => {
  const kind = comparisonKind(attributeType);
  return kind === 'text' || kind === 'number' ? kind : null;
};

/**
 * The single text or number by which a stored value is filtered and sorted: normalized text for texts that people
 * write, 0 and 1 for checkboxes. Null for an absent value, and for types that do not compare as one scalar. A text has
 * up to 10,000 characters here. Indexes and sort keys contain only its first 200.
 */
export const comparisonKey = (
  definition: Pick<CustomFieldDefinition, 'attributeType'>,
  value: CustomValue | null | undefined,
): string | number | null => {
  switch (comparisonKind(definition.attributeType)) {
    case 'text':
      if (typeof value !== 'string') return null;
      return isNormalized(definition.attributeType) ? normalizeForSearch(value) : value;
    case 'number':
      if (typeof value === 'boolean') return value ? 1 : 0;
      return typeof value === 'number' ? value : null;
    default:
      return null;
  }
};

const normalizePart = (text: unknown): string | null => (typeof text === 'string' ? normalizeForSearch(text) : null);

const normalizeLocation = (location: Readonly<Record<string, unknown>>): NormalizedLocation => {
  const parts = [...locationTextParts, 'formatted'].map((part) => [part, normalizePart(location[part])] as const);
  return Object.fromEntries(parts) as NormalizedLocation;
};

/** The normalized form stored next to a value: of its text, or of a location's parts; null for other types. */
export const normalizedForm = (
  definition: Pick<CustomFieldDefinition, 'attributeType'>,
  value: CustomValue | null | undefined,
): string | NormalizedLocation | null => {
  if (isNormalized(definition.attributeType)) return normalizePart(value);
  if (definition.attributeType === 'location' && isJsonObject(value)) return normalizeLocation(value);
  return null;
};
