import type { ObjectType } from '../object-type.js';
/**
 * The kind of values of a system field, as read:
 * `text`, `email` and `domain` strings, `number`, `boolean`, `uuid` lower-case text, `epoch_ms` Unix milliseconds,
 * `timestamp` RFC 3339 text in UTC, `contact_list` the additional contacts of an opportunity.
 */
export type SystemFieldKind = 'text' | 'email' | 'domain' | 'number' | 'boolean' | 'uuid' | 'epoch_ms' | 'timestamp' | 'contact_list';
/** A field that every organization has. The record's `custom_fields` is not one: it is the map of custom fields. */
export interface SystemField {
    /** The key in the record, in `fields`, in `sort` and in filters. */
    readonly name: string;
    readonly kind: SystemFieldKind;
    readonly nullable: boolean;
    /** Whether the field is in every record. The others are extras, present if `fields` names them. */
    readonly always: boolean;
    readonly sortable: boolean;
    readonly filterable: boolean;
}
/** The system fields of each object: first those of every record, then the extras, in the order of the records. */
export declare const systemFields: Readonly<Record<ObjectType, readonly SystemField[]>>;
/** A field of a related record that filters can use. Its value is null if there is no related record. */
export type RelationName = 'account.domain' | 'account.name' | 'contact.email';
/** The type of each relation. */
export declare const relationKinds: Readonly<Record<RelationName, SystemFieldKind>>;
/** The relations that filters of each object accept. `contact.email` is the primary contact's. */
export declare const relationNames: Readonly<Record<ObjectType, readonly RelationName[]>>;
/** The system field with exactly this name, or null. */
export declare const findSystemField: (objectType: ObjectType, name: string) => SystemField | null;
/** The relation with exactly this name that filters of this object accept, or null. */
export declare const findRelation: (objectType: ObjectType, name: string) => RelationName | null;
