import { locationTextParts } from '../custom-field/values/location.js';
import { findDefinition } from './field-index.js';
import { findRelation, findSystemField } from './system-fields.js';
/** The parts of a date_range value, each a `YYYY-MM-DD` text or null. */
export const dateRangeParts = ['start', 'end'];
/** The parts of a location value: `lat` and `lng` are numbers, the others text; each may be null. */
export const locationParts = [...locationTextParts, 'lat', 'lng', 'formatted'];
/** The names of the parts of a definition's field, used after a dot; none for most types. */
export const partsOf = (definition) => {
    if (definition.attributeType === 'date_range')
        return dateRangeParts;
    return definition.attributeType === 'location' ? locationParts : [];
};
/**
 * Resolves a name in a filter or a sort: a system field, else a relation, else a custom field by `custom__slug`
 * or slug, with `.part` for fields with parts. @returns null if there is no such field
 */
export const resolveField = (fieldIndex, name) => {
    const field = findSystemField(fieldIndex.objectType, name);
    if (field !== null)
        return { source: 'system', field };
    const relation = findRelation(fieldIndex.objectType, name);
    if (relation !== null)
        return { source: 'relation', name: relation };
    const dot = name.indexOf('.');
    const definition = findDefinition(fieldIndex, dot < 0 ? name : name.slice(0, dot));
    if (definition === null)
        return null;
    if (dot < 0)
        return { source: 'custom', definition };
    const part = name.slice(dot + 1);
    return partsOf(definition).includes(part) ? { source: 'custom', definition, part } : null;
};
/** A key that identifies the field of a reference. Used to find duplicates, and in cursor bindings. */
export const fieldKey = (ref) => {
    if (ref.source === 'system')
        return ref.field.name;
    if (ref.source === 'relation')
        return `relation:${ref.name}`;
    return ref.part === undefined ? `custom:${ref.definition.id}` : `custom:${ref.definition.id}.${ref.part}`;
};
//# sourceMappingURL=field-ref.js.map