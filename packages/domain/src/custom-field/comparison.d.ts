import type { CustomValue } from './custom-value.js';
import type { AttributeType, CustomFieldDefinition } from './definition.js';
import { locationTextParts } from './values/location.js';
/** How values of a type compare: as one text, as one number, as a set of texts, as two days, or part by part. */
export type ComparisonKind = 'text' | 'number' | 'set' | 'range' | 'location';
/** The text parts of a location and its formatted text, normalized. */
export type NormalizedLocation = Readonly<Record<(typeof locationTextParts)[number] | 'formatted', string | null>>;
/** How values of this type compare. */
export declare const comparisonKind: (attributeType: AttributeType) => ComparisonKind;
/**
 * Whether texts of this type are compared in their normalized form. Dates, times and options are compared as stored.
 */
export declare const isNormalized: (attributeType: AttributeType) => boolean;
/** The kind of indexed column for this type's comparison key, or null if the type has no such key. */
export declare const slotKind: (attributeType: AttributeType) => 'text' | 'number' | null;
/**
 * The single text or number by which a stored value is filtered and sorted: normalized text for texts that people
 * write, 0 and 1 for checkboxes. Null for an absent value, and for types that do not compare as one scalar. A text has
 * up to 10,000 characters here. Indexes and sort keys contain only its first 200.
 */
export declare const comparisonKey: (definition: Pick<CustomFieldDefinition, 'attributeType'>, value: CustomValue | null | undefined) => string | number | null;
/** The normalized form stored next to a value: of its text, or of a location's parts; null for other types. */
export declare const normalizedForm: (definition: Pick<CustomFieldDefinition, 'attributeType'>, value: CustomValue | null | undefined) => string | NormalizedLocation | null;
