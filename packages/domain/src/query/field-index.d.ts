import { type CustomFieldDefinition } from '../custom-field/definition.js';
import type { ObjectType } from '../object-type.js';
import { type SystemField } from './system-fields.js';
/** The fields of a record besides the keys that are always present. */
export interface FieldSelection {
    /** The requested extras, in the order of {@link systemFields}. */
    readonly extras: readonly SystemField[];
    /** The custom fields under `custom_fields` and in the definitions map, in the order of the index. */
    readonly custom: readonly CustomFieldDefinition[];
    /** Whether `custom` is every visible custom field, as in a request without `fields`. */
    readonly isAllVisible: boolean;
}
/**
 * The field names that a request may use for one object of one organization. Built once per set of definitions, not per
 * request.
 */
export interface FieldIndex {
    readonly objectType: ObjectType;
    /** All of them, hidden ones included, in the order given. */
    readonly definitions: readonly CustomFieldDefinition[];
    readonly bySlug: ReadonlyMap<string, CustomFieldDefinition>;
    /** The fields of lists and searches without `fields`. */
    readonly defaultSelection: FieldSelection;
    /** Every system field and visible custom field: the selection of a get by id without `fields`. */
    readonly fullSelection: FieldSelection;
}
/**
 * Builds the field index of one object.
 * @param definitions those the request may name, in display order; for opportunities already filtered by the request's
 * pipeline, if it has one
 */
export declare const createFieldIndex: (objectType: ObjectType, definitions: readonly CustomFieldDefinition[]) => FieldIndex;
/**
 * The definition for `custom__slug` or a bare slug, or null. The prefixed form wins, because it is the stable name in
 * the definitions map.
 */
export declare const findDefinition: (fieldIndex: FieldIndex, name: string) => CustomFieldDefinition | null;
