import { normalizeForSearch } from '../text.js';
import type { CustomValue } from './custom-value.js';
import type { AttributeType, CustomFieldDefinition } from './definition.js';
import { isJsonObject } from './values/json-object.js';
import { locationTextParts } from './values/location.js';

/** How values of a type compare: as one text, as one number, as a set of texts, as two days, or part by part. */
export type ComparisonKind = 'text' | 'number' | 'set' | 'range' | 'location';

/** The text parts of a location and its formatted text, normalized. */
export type NormalizedLocation = Readonly<Record<(typeof locationTextParts)[number] | 'formatted', string | null>>;

const kinds: Readonly<Record<AttributeType, ComparisonKind>> = {
  string: 'text',
  email: 'text',
  phone: 'text',
  website: 'text',
  url: 'text',
  // Fixed-width text: sorting by text sorts by time.
  date: 'text',
  datetime: 'text',
  time: 'text',
  select: 'text',
  radio: 'text',
  number: 'number',
  currency: 'number',
  percentage: 'number',
  rating: 'number',
  timestamp: 'number',
  checkbox: 'number',
  multi_select: 'set',
  team_members: 'set',
  date_range: 'range',
  location: 'location',
};

const normalizedTypes: ReadonlySet<AttributeType> = new Set(['string', 'email', 'phone', 'website', 'url']);

/** How values of this type compare. */
export const comparisonKind = (attributeType: AttributeType): ComparisonKind => kinds[attributeType];

/**
 * Whether texts of this type are compared in their normalized form. Dates, times and options are compared as stored.
 */
export const isNormalized = (attributeType: AttributeType): boolean => normalizedTypes.has(attributeType);

/** The kind of indexed column for this type's comparison key, or null if the type has no such key. */
export const slotKind = (attributeType: AttributeType): 'text' | 'number' | null => {
  const kind = kinds[attributeType];
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
  switch (kinds[definition.attributeType]) {
    case 'text':
      if (typeof value !== 'string') return null;
      return normalizedTypes.has(definition.attributeType) ? normalizeForSearch(value) : value;
    case 'number':
      if (typeof value === 'boolean') return value ? 1 : 0;
      return typeof value === 'number' ? value : null;
    default:
      return null;
  }
};

const normalizePart = (text: unknown): string | null => (typeof text === 'string' ? normalizeForSearch(text) : null);

const normalizeLocation = (location: Readonly<Record<string, unknown>>): NormalizedLocation => ({
  address: normalizePart(location['address']),
  city: normalizePart(location['city']),
  region: normalizePart(location['region']),
  postal_code: normalizePart(location['postal_code']),
  country: normalizePart(location['country']),
  formatted: normalizePart(location['formatted']),
});

/** The normalized form stored next to a value: of its text, or of a location's parts; null for other types. */
export const normalizedForm = (
  definition: Pick<CustomFieldDefinition, 'attributeType'>,
  value: CustomValue | null | undefined,
): string | NormalizedLocation | null => {
  if (normalizedTypes.has(definition.attributeType)) return normalizePart(value);
  if (definition.attributeType === 'location' && isJsonObject(value)) return normalizeLocation(value);
  return null;
};
