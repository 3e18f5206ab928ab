import { propertyNamePrefix } from '../custom-field/definition.js';
import { systemFields } from './system-fields.js';
/**
 * Builds the field index of one object.
 * @param definitions those the request may name, in display order; for opportunities already filtered by the request's
 * pipeline, if it has one
 */
export const createFieldIndex = (objectType, definitions) => {
    const custom = definitions.filter((definition) => !definition.isHidden);
    const extras = systemFields[objectType].filter((field) => !field.always);
    return {
        objectType,
        definitions,
        bySlug: new Map(definitions.map((definition) => [definition.slug, definition])),
        defaultSelection: { extras: [], custom, isAllVisible: true },
        fullSelection: { extras, custom, isAllVisible: true },
    };
};
/**
 * The definition for `custom__slug` or a bare slug, or null. The prefixed form wins, because it is the stable name in
 * the definitions map.
 */
export const findDefinition = (fieldIndex, name) => {
    const prefixed = name.startsWith(propertyNamePrefix)
        ? fieldIndex.bySlug.get(name.slice(propertyNamePrefix.length))
        : undefined;
    return prefixed ?? fieldIndex.bySlug.get(name) ?? null;
};
//# sourceMappingURL=field-index.js.map