import { compareCodePoints } from '../text.js';
import { defaultRatingMax, propertyName } from './definition.js';
// Archived options stay in the list, so that every stored value has a label. In a response they look like the others:
// an option has exactly these three keys.
const wireMetadata = ({ attributeType, metadata }) => {
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
/** Converts one definition to its form in a response. */
export const wireDefinition = (definition) => ({
    current_name: definition.name,
    property_name: propertyName(definition.slug),
    attribute_type: definition.attributeType,
    metadata: wireMetadata(definition),
});
const byPosition = (a, b) => a.position - b.position || compareCodePoints(a.slug, b.slug);
/**
 * The map `data.custom_field_definitions`: slug to definition, sorted by position and then slug. The object has no
 * prototype, so that a lookup of any text finds only definitions.
 */
export const definitionsMap = (definitions) => {
    const map = Object.create(null);
    for (const definition of [...definitions].sort(byPosition))
        map[definition.slug] = wireDefinition(definition);
    return map;
};
//# sourceMappingURL=definitions-map.js.map