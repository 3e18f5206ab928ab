import { compareCodePoints } from '../text.js';
import { attributeDescriptions, type AttributeType } from './attribute-types.js';
import { defaultRatingMax, propertyName, type CustomFieldDefinition } from './definition.js';

/** The metadata of a definition in a response: `options`, `currency` or `max`, depending on the type, or null. */
export type WireFieldMetadata =
  | { readonly options: readonly { readonly label: string; readonly value: string; readonly color: string }[] }
  | { readonly currency: string }
  | { readonly max: number };

/** A definition in a response. It has exactly these properties. */
export interface WireFieldDefinition {
  readonly current_name: string;
  readonly property_name: string;
  readonly attribute_type: AttributeType;
  readonly metadata: WireFieldMetadata | null;
}

// Archived options stay in the list, so that every stored value has a label. In a response they look like the others:
// an option has exactly these three keys.
const wireMetadata = ({ attributeType, metadata }: CustomFieldDefinition): WireFieldMetadata | null => {
  switch (attributeDescriptions[attributeType].setting) {
    case 'options':
      return { options: (metadata?.options ?? []).map(({ label, value, color }) => ({ label, value, color })) };
    case 'currency':
      return metadata?.currency === undefined ? null : { currency: metadata.currency };
    case 'max':
      return { max: metadata?.max ?? defaultRatingMax };
    default:
      return null;
  }
};

/** Converts one definition to its form in a response. */
export const wireDefinition = (definition: CustomFieldDefinition): WireFieldDefinition => ({
  current_name: definition.name,
  property_name: propertyName(definition.slug),
  attribute_type: definition.attributeType,
  metadata: wireMetadata(definition),
});

const byPosition = (a: CustomFieldDefinition, b: CustomFieldDefinition): number =>
  a.position - b.position || compareCodePoints(a.slug, b.slug);

/**
 * The map `data.custom_field_definitions`: slug to definition, sorted by position and then slug. The object has no
 * prototype, so that a lookup of any text finds only definitions.
 */
export const definitionsMap = (
  definitions: Iterable<CustomFieldDefinition>,
): Readonly<Record<string, WireFieldDefinition>> => {
  const map = Object.create(null) as Record<string, WireFieldDefinition>;
  for (const definition of [...definitions].sort(byPosition)) map[definition.slug] = wireDefinition(definition);
  return map;
};
