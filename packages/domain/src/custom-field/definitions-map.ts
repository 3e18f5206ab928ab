import { compareCodePoints } from '../text.js';
import { defaultRatingMax, propertyName, type AttributeType, type CustomFieldDefinition } from './definition.js';

/** The metadata of a definition at the wire: by type `options`, `currency` or `max`; null for all other types. */
export type WireFieldMetadata =
  | { readonly options: readonly { readonly label: string; readonly value: string; readonly color: string }[] }
  | { readonly currency: string }
  | { readonly max: number };

/** A definition at the wire; it has no other property. */
export interface WireFieldDefinition {
  readonly current_name: string;
  readonly property_name: string;
  readonly attribute_type: AttributeType;
  readonly metadata: WireFieldMetadata | null;
}

// Archived options stay in the list, so that every stored value has a label. They look like the others: on the wire an
// option has exactly these three keys.
const wireMetadata = ({ attributeType, metadata }: CustomFieldDefinition): WireFieldMetadata | null => {
  switch (attributeType) {
    case 'select':
    case 'radio':
    case 'multi_select':
      return { options: (metadata?.options ?? []).map(({ label, value, color }) => ({ label, value, color })) };
    case 'currency':
      return metadata?.currency === undefined ? null : { currency: metadata.currency };
    case 'rating':
      return { max: metadata?.max ?? defaultRatingMax };
    default:
      return null;
  }
};

/** One definition as the wire shows it. */
export const wireDefinition = (definition: CustomFieldDefinition): WireFieldDefinition => ({
  current_name: definition.name,
  property_name: propertyName(definition.slug),
  attribute_type: definition.attributeType,
  metadata: wireMetadata(definition),
});

const byPosition = (a: CustomFieldDefinition, b: CustomFieldDefinition): number =>
  a.position - b.position || compareCodePoints(a.slug, b.slug);

/**
 * The map `data.custom_field_definitions` for these definitions: slug to definition, by position, equal positions by
 * slug. The object has no prototype, so that looking up any text in it finds definitions only.
 */
export const definitionsMap = (
  definitions: Iterable<CustomFieldDefinition>,
): Readonly<Record<string, WireFieldDefinition>> => {
  const map = Object.create(null) as Record<string, WireFieldDefinition>;
  for (const definition of [...definitions].sort(byPosition)) map[definition.slug] = wireDefinition(definition);
  return map;
};
