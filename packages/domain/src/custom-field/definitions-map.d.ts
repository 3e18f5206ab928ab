import { type AttributeType, type CustomFieldDefinition } from './definition.js';
/** The metadata of a definition in a response: `options`, `currency` or `max`, depending on the type, or null. */
export type WireFieldMetadata = {
    readonly options: readonly {
        readonly label: string;
        readonly value: string;
        readonly color: string;
    }[];
} | {
    readonly currency: string;
} | {
    readonly max: number;
};
/** A definition in a response. It has exactly these properties. */
export interface WireFieldDefinition {
    readonly current_name: string;
    readonly property_name: string;
    readonly attribute_type: AttributeType;
    readonly metadata: WireFieldMetadata | null;
}
/** Converts one definition to its form in a response. */
export declare const wireDefinition: (definition: CustomFieldDefinition) => WireFieldDefinition;
/**
 * The map `data.custom_field_definitions`: slug to definition, sorted by position and then slug. The object has no
 * prototype, so that a lookup of any text finds only definitions.
 */
export declare const definitionsMap: (definitions: Iterable<CustomFieldDefinition>) => Readonly<Record<string, WireFieldDefinition>>;
