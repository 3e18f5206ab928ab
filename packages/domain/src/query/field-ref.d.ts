import type { CustomFieldDefinition } from '../custom-field/definition.js';
import { type FieldIndex } from './field-index.js';
import { type RelationName, type SystemField } from './system-fields.js';
/**
 * A field named in a filter or sort. `part` is set only for a part of a date_range (`start`, `end`) or location (`city`
 * …), which is named after a dot.
 */
export type FieldRef = {
    readonly source: 'system';
    readonly field: SystemField;
} | {
    readonly source: 'custom';
    readonly definition: CustomFieldDefinition;
    readonly part?: string;
} | {
    readonly source: 'relation';
    readonly name: RelationName;
};
/** The parts of a date_range value, each a `YYYY-MM-DD` text or null. */
export declare const dateRangeParts: readonly ['start', 'end'];
/** The parts of a location value: `lat` and `lng` are numbers, the others text; each may be null. */
export declare const locationParts: readonly ["address", "city", "region", "postal_code", "country", "lat", "lng", "formatted"];
/** The names of the parts of a definition's field, used after a dot; none for most types. */
export declare const partsOf: (definition: CustomFieldDefinition) => readonly string[];
/**
 * Resolves a name in a filter or a sort: a system field, else a relation, else a custom field by `custom__slug`
 * or slug, with `.part` for fields with parts. @returns null if there is no such field
 */
export declare const resolveField: (fieldIndex: FieldIndex, name: string) => FieldRef | null;
/** A key that identifies the field of a reference. Used to find duplicates, and in cursor bindings. */
export declare const fieldKey: (ref: FieldRef) => string;
